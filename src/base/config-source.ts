import { parseDocument } from 'yaml'

export type Env = Readonly<Record<string, string | undefined>>
type Tree = Record<string, unknown>

/** Settings as they were written, and where each one came from when that was not the file. */
export interface Source {
  tree: Tree
  /** The file that was read, or undefined when there is none. */
  file?: string
  /** A setting's path → the variable that set it. */
  variables: ReadonlyMap<string, string>
  problems: string[]
}

const DEFAULT_FILE = 'config/trellis.yaml'

/** Each variable stands for one setting and wins over the file. */
const OVERRIDES: readonly [variable: string, section: string, key: string][] = [
  ['PORT', 'server', 'port'],
  ['HOST', 'server', 'host'],
  ['PUBLIC_URL', 'server', 'publicUrl'],
  ['DATA_DIR', 'data', 'dir'],
  ['DATABASE_URL', 'data', 'databaseUrl'],
  ['LOG_LEVEL', 'log', 'level'],
  ['AUTH_MODE', 'auth', 'mode'],
  ['AUTH_ALLOW_ANONYMOUS', 'auth', 'allowAnonymous'],
]

/** Reads the file that TRELLIS_CONFIG names and lays the environment over it. Only the default file may be missing. */
export function readSource(env: Env, readFile: (path: string) => string): Source {
  const problems: string[] = []
  const file = env['TRELLIS_CONFIG'] || DEFAULT_FILE
  const text = readText(file, !env['TRELLIS_CONFIG'], readFile, problems)
  const tree = text === undefined ? {} : parse(file, text, problems)
  const expanded = expand(tree, '', env, problems) as Tree
  const variables = override(expanded, env)
  return { tree: expanded, ...(text === undefined ? {} : { file }), variables, problems }
}

function readText(file: string, optional: boolean, readFile: (path: string) => string, problems: string[]) {
  try {
    return readFile(file)
  } catch (error) {
    const missing = (error as NodeJS.ErrnoException).code === 'ENOENT'
    if (missing && optional) return undefined
    const why = missing ? 'there is no such file' : (error as Error).message
    problems.push(`TRELLIS_CONFIG: was ${JSON.stringify(file)}; must be a file that can be read (${why})`)
    return undefined
  }
}

function parse(file: string, text: string, problems: string[]): Tree {
  const document = parseDocument(text, { prettyErrors: true })
  for (const error of document.errors) problems.push(`${file}: ${error.message.trim()}`)
  if (document.errors.length > 0) return {}
  const value: unknown = document.toJS({ maxAliasCount: 100 }) ?? {}
  if (typeof value === 'object' && !Array.isArray(value)) return value as Tree
  problems.push(`${file}: was ${JSON.stringify(value).slice(0, 80)}; must be settings written as key: value`)
  return {}
}

/** Puts variables where a string says ${NAME}, and leaves out keys without a value, as a commented-out section has. */
function expand(value: unknown, path: string, env: Env, problems: string[]): unknown {
  if (typeof value === 'string') return expandText(value, path, env, problems)
  if (Array.isArray(value)) return value.map((item, index) => expand(item, `${path}[${index}]`, env, problems))
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).filter(([, member]) => member !== null)
  return Object.fromEntries(
    entries.map(([key, member]) => [key, expand(member, path === '' ? key : `${path}.${key}`, env, problems)]),
  )
}

function expandText(text: string, path: string, env: Env, problems: string[]): string {
  return text.replaceAll(/\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g, (whole, name: string) => {
    const value = env[name]
    if (value === undefined) problems.push(`${path}: was ${JSON.stringify(whole)}; the variable ${name} must be set`)
    return value ?? whole
  })
}

function override(tree: Tree, env: Env): Map<string, string> {
  const variables = new Map<string, string>()
  for (const [variable, section, key] of OVERRIDES) {
    const text = env[variable]
    if (text === undefined || text === '') continue
    tree[section] ??= {}
    const members = tree[section]
    if (typeof members !== 'object' || members === null || Array.isArray(members)) continue
    ;(members as Tree)[key] = variable === 'PORT' ? numberOr(text) : booleanOr(variable, text)
    variables.set(`${section}.${key}`, variable)
  }
  return variables
}

/** Only where a setting is yes or no; what is neither stays the text it was. */
function booleanOr(variable: string, text: string): boolean | string {
  if (variable !== 'AUTH_ALLOW_ANONYMOUS' || !/^(true|false)$/.test(text)) return text
  return text === 'true'
}

/** What is no number stays the text it was, for the error that names it. */
function numberOr(text: string): number | string {
  return /^\d+$/.test(text) ? Number(text) : text
}
