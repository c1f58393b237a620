import { readFileSync } from 'node:fs'
import { Ajv } from 'ajv'
import addFormats from 'ajv-formats'
import { BUILT_IN_ECHO } from './config-agents.ts'
import { authProblems } from './config-auth.ts'
import { ConfigError, problemOf } from './config-problem.ts'
import { pushProblems } from './config-push.ts'
import { type ConfigInput, ConfigSchema } from './config-schema.ts'
import { type Env, readSource, type Source } from './config-source.ts'

export type { A2aAgentConfig, AgentConfig, ModuleAgentConfig, SkillConfig } from './config-agents.ts'
export type { AuthConfig, OidcConfig } from './config-auth.ts'
export { ConfigError } from './config-problem.ts'

/** The settings with their defaults. There is at least one agent, and `defaultAgent` names one of them. */
export type Config = ConfigInput & { defaultAgent: string }

/** This one is compiled at every start, and its schema is held to JSON Schema by a test; its one use need not be fast. */
const AT_START = { validateSchema: false, code: { optimize: false } }
const ajv = new Ajv({
  allErrors: true,
  useDefaults: true,
  discriminator: true,
  verbose: true,
  strictTypes: false,
  ...AT_START,
})
addFormats.default(ajv)
const validate = ajv.compile<ConfigInput>(ConfigSchema)

/**
 * The one reader of the environment and of config/. Takes the YAML file that TRELLIS_CONFIG names (config/trellis.yaml
 * when unset, which may be missing), lays the variables that stand for settings over it, and fills in defaults. Relative
 * paths stay relative to the folder that the server is started in.
 *
 * @throws ConfigError that names every wrong key and value at once
 */
export function loadConfig(env: Env = process.env, readFile: (path: string) => string = readText): Config {
  return load(env, readFile, contradictions)
}

/** The same for commands that do not listen: they run before it is settled who may call. */
export function loadCommandConfig(env: Env = process.env, readFile: (path: string) => string = readText): Config {
  return load(env, readFile, () => [])
}

function load(env: Env, readFile: (path: string) => string, check: (config: ConfigInput) => string[]): Config {
  const source = readSource(env, readFile)
  const input: unknown = source.tree
  const valid = validate(input)
  const problems = [...source.problems, ...(valid ? check(input) : schemaProblems(source))]
  if (problems.length > 0 || !valid) throw new ConfigError(problems)
  const agents = input.agents.length > 0 ? input.agents : [structuredClone(BUILT_IN_ECHO)]
  return { ...input, agents, defaultAgent: input.defaultAgent ?? firstName(agents) }
}

function readText(path: string): string {
  return readFileSync(path, 'utf8')
}

function schemaProblems(source: Source): string[] {
  const lines = (validate.errors ?? []).flatMap((error) => problemOf(error, source) ?? [])
  return [...new Set(lines)]
}

/** What is right by itself and wrong together. */
function contradictions(config: ConfigInput): string[] {
  return [
    ...agentContradictions(config),
    ...runnerContradictions(config),
    ...authProblems(config),
    ...pushProblems(config),
  ]
}

function agentContradictions({ agents, defaultAgent }: ConfigInput): string[] {
  const names = agents.map((agent) => agent.name)
  const twice = names.flatMap((name, index) =>
    names.indexOf(name) < index ? [`agents[${index}].name: was "${name}"; must differ from every other agent's`] : [],
  )
  const known = names.length > 0 ? names : [BUILT_IN_ECHO.name]
  if (defaultAgent === undefined || known.includes(defaultAgent)) return twice
  return [...twice, `defaultAgent: was "${defaultAgent}"; must be one of ${known.join(', ')}`]
}

function runnerContradictions({ runner, groupCommit, data }: ConfigInput): string[] {
  const problems: string[] = []
  // A runner that misses one beat is slow, not lost.
  if (runner.lostSeconds < 2 * runner.beatSeconds) {
    problems.push(`runner.lostSeconds: was ${runner.lostSeconds}; must be at least twice runner.beatSeconds`)
  }
  // Each lane keeps a connection for itself; reads need one too.
  if (groupCommit.lanes >= data.poolSize) {
    problems.push(`groupCommit.lanes: was ${groupCommit.lanes}; must be less than data.poolSize (${data.poolSize})`)
  }
  return problems
}

function firstName(agents: ConfigInput['agents']): string {
  return agents[0]?.name ?? BUILT_IN_ECHO.name
}
