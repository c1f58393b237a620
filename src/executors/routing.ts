import { termsOf } from './routing-text.ts'

/** What an agent says it can do. (A2A 1.0 §4.4.5) */
export interface AgentSkill {
  id: string
  name: string
  description?: string
  tags?: readonly string[]
  examples?: readonly string[]
  outputModes?: readonly string[]
}

/** An agent as routing sees it. `skills` undefined: not known (yet). Modes undefined: anything goes. */
export interface RoutableAgent {
  name: string
  description?: string
  skills?: readonly AgentSkill[]
  inputModes?: readonly string[]
  outputModes?: readonly string[]
}

/** What of a task decides where it goes. */
export interface RoutableTask {
  agent?: string
  skill?: string
  text: string
  acceptedOutputModes?: readonly string[]
}

/** Which agent runs a task, and why in words: kept on the attempt. */
export interface Route {
  agent: string
  reason: string
}

/** No agent can run it. `retryable` where the skills of some agent were not known yet. */
export interface NoRoute {
  error: string
  retryable: boolean
}

export type Router = (task: RoutableTask) => Route | NoRoute

/** Words in a skill's name or tags, or in the agent's name, say what an agent is for; other words only hint at it. */
const STRONG = 1
const WEAK = 0.5
/** One strong word that they share, or two weak ones, is the least for an agent to match a text at all. */
const THRESHOLD = 1

/**
 * Makes the function that finds the agent for a task: its `agent`, else its `skill` (by id, then name, then tag), else the best
 * match of its text against the agents' skills, else the default agent. The same question gets the same answer; of equals
 * the agent named first wins. (design §6, "Routing")
 */
export function createRouter(agents: readonly RoutableAgent[], defaultAgent: string): Router {
  const match = matcher(agents)
  return (task) => {
    if (task.agent !== undefined) return byName(agents, task.agent)
    const fitting = agents.filter((agent) => accepts(agent.outputModes, task.acceptedOutputModes))
    const skilled = task.skill === undefined ? null : bySkill(agents, fitting, task, task.skill, match)
    if (skilled !== null) return skilled
    const found = match(task.text, fitting) ?? byDefault(agents, fitting, task, defaultAgent)
    return task.skill === undefined ? found : withoutSkill(found, task.skill)
  }
}

/** Finds the agent for one task: see {@link createRouter}, which is quicker for many. */
export function route(task: RoutableTask, agents: readonly RoutableAgent[], defaultAgent: string): Route | NoRoute {
  return createRouter(agents, defaultAgent)(task)
}

function byName(agents: readonly RoutableAgent[], name: string): Route | NoRoute {
  if (agents.some((agent) => agent.name === name)) return { agent: name, reason: 'the task names this agent' }
  return {
    error: `No agent is named "${name}"; known are ${list(agents.map((agent) => agent.name))}`,
    retryable: false,
  }
}

function bySkill(
  agents: readonly RoutableAgent[],
  fitting: readonly RoutableAgent[],
  task: RoutableTask,
  skill: string,
  match: Matcher,
): Route | NoRoute | null {
  for (const [how, has] of SKILL_TESTS) {
    const able = fitting.filter((agent) => agent.skills?.some((one) => has(one, skill.toLowerCase())))
    const [first] = able
    if (!first) continue
    const agent = able.length === 1 ? first.name : (match(task.text, able)?.agent ?? first.name)
    return { agent, reason: `the task asks for the skill "${skill}", which this agent has by ${how}` }
  }
  const unread = agents.filter((agent) => agent.skills === undefined).map((agent) => agent.name)
  if (unread.length === 0) return null
  return {
    error: `No agent is known to have the skill "${skill}"; the skills of ${list(unread)} are not known yet`,
    retryable: true,
  }
}

/** A skill is a wish: where nobody has it, the task goes where its text fits best, and says so. */
function withoutSkill(found: Route | NoRoute, skill: string): Route | NoRoute {
  if ('error' in found) return found
  return { ...found, reason: `no agent has the skill "${skill}"; ${found.reason}` }
}

const SKILL_TESTS: readonly [string, (skill: AgentSkill, wanted: string) => boolean][] = [
  ['id', (skill, wanted) => skill.id.toLowerCase() === wanted],
  ['name', (skill, wanted) => skill.name.toLowerCase() === wanted],
  ['tag', (skill, wanted) => (skill.tags ?? []).some((tag) => tag.toLowerCase() === wanted)],
]

function byDefault(
  agents: readonly RoutableAgent[],
  fitting: readonly RoutableAgent[],
  task: RoutableTask,
  name: string,
): Route | NoRoute {
  if (fitting.some((agent) => agent.name === name)) {
    return { agent: name, reason: 'no skill of another agent matches the text, and this is the default agent' }
  }
  const known = list(agents.map((agent) => agent.name))
  return {
    error: `The default agent "${name}" cannot take the task${forModes(task)}; known are ${known}`,
    retryable: false,
  }
}

function forModes(task: RoutableTask): string {
  return task.acceptedOutputModes?.length ? ` with output as ${list(task.acceptedOutputModes)}` : ''
}

/** Whether something an agent gives is something the caller takes. `text` stands for `text/*`, as older agents write it. */
export function accepts(offered: readonly string[] | undefined, accepted: readonly string[] | undefined): boolean {
  if (!offered?.length || !accepted?.length) return true
  return offered.some((give) => accepted.some((take) => modeFits(give.toLowerCase(), take.toLowerCase())))
}

function modeFits(give: string, take: string): boolean {
  const [giveType, giveSub = '*'] = (give.split(';')[0] ?? '').trim().split('/')
  const [takeType, takeSub = '*'] = (take.split(';')[0] ?? '').trim().split('/')
  const typeFits = giveType === takeType || giveType === '*' || takeType === '*'
  return typeFits && (giveSub === takeSub || giveSub === '*' || takeSub === '*')
}

type Matcher = (text: string, among: readonly RoutableAgent[]) => Route | undefined

/**
 * Scores agents by the distinct terms that the text and they share. An agent matches when the weights of these (where it
 * has the term) reach the threshold; of those that do, the highest sum of weight × inverse document frequency wins, so that
 * a term of one agent counts for more than one that many have.
 */
function matcher(agents: readonly RoutableAgent[]): Matcher {
  const weights = new Map(agents.map((agent) => [agent.name, weighTerms(agent)]))
  const frequency = new Map<string, number>()
  for (const terms of weights.values()) {
    for (const term of terms.keys()) frequency.set(term, (frequency.get(term) ?? 0) + 1)
  }
  const idf = (term: string) => Math.log((agents.length + 1) / (frequency.get(term) ?? 1))
  return (text, among) => {
    const wanted = [...termsOf(text)]
    const matches = among.flatMap((agent) => matchOf(agent.name, wanted, weights.get(agent.name) ?? new Map(), idf))
    const best = matches.reduce<Match | undefined>(
      (first, one) => (first && first.score >= one.score ? first : one),
      undefined,
    )
    if (!best) return undefined
    const terms = best.terms.slice(0, 8).join(', ')
    return { agent: best.agent, reason: `best match of the text (score ${best.score.toFixed(2)}: ${terms})` }
  }
}

interface Match {
  agent: string
  score: number
  terms: string[]
}

function matchOf(
  agent: string,
  wanted: readonly string[],
  weights: ReadonlyMap<string, number>,
  idf: (term: string) => number,
): Match[] {
  const terms = wanted.filter((term) => weights.has(term))
  const sum = (of: (term: string) => number) => terms.reduce((total, term) => total + of(term), 0)
  const weight = (term: string) => weights.get(term) ?? 0
  return sum(weight) < THRESHOLD ? [] : [{ agent, terms, score: sum((term) => weight(term) * idf(term)) }]
}

/** An agent without skills is not a match for anything: it is reached by name or as the default. */
function weighTerms(agent: RoutableAgent): Map<string, number> {
  const terms = new Map<string, number>()
  if (!agent.skills?.length) return terms
  const weak = agent.skills.flatMap((skill) => [skill.description ?? '', ...(skill.examples ?? [])])
  const strong = agent.skills.flatMap((skill) => [skill.id, skill.name, ...(skill.tags ?? [])])
  for (const term of termsOf([agent.description ?? '', ...weak].join('\n'))) terms.set(term, WEAK)
  for (const term of termsOf([agent.name, ...strong].join('\n'))) terms.set(term, STRONG)
  return terms
}

function list(names: readonly string[]): string {
  if (names.length === 0) return 'none'
  return names.length > 20 ? `${names.slice(0, 20).join(', ')} and ${names.length - 20} more` : names.join(', ')
}
