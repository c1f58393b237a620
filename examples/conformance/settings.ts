import { join } from 'node:path'

type Env = Readonly<Record<string, string | undefined>>

export const REQUIRED_EXTENSION = 'urn:a2a:tck:required-extension'

const here = (file: string) => join(import.meta.dirname, file)

/**
 * The configuration of a server to run conformance suites against, as it would stand in config/trellis.yaml. `folder` is
 * empty, and nothing in it outlives the server. docs/conformance.md says what the variables switch.
 *
 * @throws TypeError for a variable that is neither true nor false
 */
export function conformanceSettings(env: Env, folder: string): Record<string, unknown> {
  const grpcPort = env['GRPC_PORT']
  return {
    // Suites send the same messageIds in every run.
    idempotency: 'off',
    agents: [{ kind: 'module', name: 'conformance', path: here('executor.ts'), skills: [SKILL] }],
    planner: { modules: [here('planner.ts')], playbooks: join(folder, 'playbooks') },
    data: { dir: join(folder, 'data') },
    log: { level: 'warn' },
    // Tasks that are left working stay with their runner, however many there are.
    runner: { capacity: 10_000 },
    limits: { concurrentTasksPerObjective: 10_000 },
    // A suite receives its webhooks on the machine that it runs on.
    push: { enabled: isOn(env, 'TCK_PUSH', true), allowPrivate: true },
    ...(grpcPort && { grpc: { port: Number(grpcPort) } }),
    card: {
      name: 'Trellis conformance server',
      description: 'Drives a task into the states that its messageIds ask for.',
      strict: true,
      websocket: false,
      inputModes: ['*/*'],
      streaming: isOn(env, 'TCK_STREAMING', true),
      extended: isOn(env, 'TCK_EXTENDED_CARD', true),
      requiredExtensions: isOn(env, 'TCK_REQUIRED_EXTENSION', false) ? [REQUIRED_EXTENSION] : [],
    },
  }
}

const SKILL = {
  id: 'conformance',
  name: 'Conformance',
  description: 'Does what a conformance suite asks for by the prefixes of its messageIds.',
  tags: ['conformance', 'tck'],
}

function isOn(env: Env, name: string, byDefault: boolean): boolean {
  const text = env[name] || String(byDefault)
  if (text === 'true' || text === 'false') return text === 'true'
  throw new TypeError(`${name} was ${JSON.stringify(text)}; must be true or false`)
}
