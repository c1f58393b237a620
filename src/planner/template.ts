/** The groups that a playbook's rule found in a text. One that took no part in the match is undefined. */
export type Groups = Readonly<Record<string, string | undefined>>

const PLACE = /\{\{\s*([A-Za-z_]\w*)\s*(?:\|([^{}]*))?\}\}/g

/**
 * A text with each `{{group}}` replaced by what the group matched, and `{{group|other}}` by `other` where it matched
 * nothing. What is put in is never read as a template again.
 */
export function fill(template: string, groups: Groups): string {
  return template.replace(PLACE, (_place, name: string, otherwise: string | undefined) => {
    const found = groups[name]?.trim()
    return found ? found : (otherwise ?? '').trim()
  })
}

/** As {@link fill}, for every text within lists and objects; keys stay as they are. */
export function fillAll<T>(template: T, groups: Groups): T {
  if (typeof template === 'string') return fill(template, groups) as T
  if (Array.isArray(template)) return template.map((item) => fillAll(item, groups)) as T
  if (typeof template !== 'object' || template === null) return template
  return Object.fromEntries(Object.entries(template).map(([key, value]) => [key, fillAll(value, groups)])) as T
}

/** The names of all groups that the texts within a template ask for. */
export function placesIn(template: unknown): string[] {
  const text = JSON.stringify(template) ?? ''
  return [...text.matchAll(PLACE)].flatMap((match) => match[1] ?? [])
}
