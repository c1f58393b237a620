import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { stringify } from 'yaml'
import { type Child, startChild } from './child.ts'

const ROOT = join(import.meta.dirname, '../..')
const AGENTS = ['researcher', 'writer', 'reviewer']

/** Three agents and the server that gives them their tasks, each a process of its own. */
export interface Stack {
  url: string
  agents: { name: string; url: string }[]
  stop(): Promise<void>
}

export interface StackOptions {
  /** The documents. */
  folder: string
  /** Where the server keeps its data; absent: in a temporary folder that goes with it. */
  data?: string
}

/** Starts everything and resolves when the server answers. What was started is ended again when one of them fails. */
export async function startStack({ folder, data }: StackOptions, signal: AbortSignal): Promise<Stack> {
  const children: Child[] = []
  const place = await mkdtemp(join(tmpdir(), 'trellis-demo-'))
  const stop = async () => {
    await Promise.all(children.map((child) => child.stop()))
    await rm(place, { recursive: true, force: true })
  }
  try {
    // All of them settle before one's failure is told, so that none is left starting.
    const started = await Promise.allSettled(AGENTS.map((name) => startAgent(name, folder, signal, children)))
    const failed = started.find((each) => each.status === 'rejected')
    if (failed) throw failed.reason
    const agents = started.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []))
    return {
      url: await startServer(agents, { place, data: data ?? join(place, 'data') }, signal, children),
      agents,
      stop,
    }
  } catch (error) {
    await stop()
    throw error
  }
}

async function startAgent(name: string, folder: string, signal: AbortSignal, children: Child[]) {
  const args = [join(ROOT, 'examples/agents', name, 'main.ts'), '--folder', folder]
  const child = await startChild(name, { args, readyAt: { line: /^ready (\S+)$/ }, signal })
  children.push(child)
  return { name, url: child.ready }
}

async function startServer(
  agents: Stack['agents'],
  { place, data }: { place: string; data: string },
  signal: AbortSignal,
  children: Child[],
): Promise<string> {
  const port = await freePort()
  const config = join(place, 'trellis.yaml')
  const listed = agents.map((agent) => ({ ...agent, kind: 'a2a' }))
  const playbooks = join(ROOT, 'config/playbooks')
  await writeFile(config, stringify({ agents: listed, defaultAgent: 'researcher', planner: { playbooks } }))
  const url = `http://127.0.0.1:${port}`
  const child = await startChild('server', {
    args: [join(ROOT, 'src/main.ts')],
    readyAt: { url: `${url}/.well-known/agent-card.json` },
    env: {
      TRELLIS_CONFIG: config,
      DATA_DIR: data,
      // The demo keeps to itself, whatever database the shell names.
      DATABASE_URL: '',
      PORT: String(port),
      HOST: '127.0.0.1',
      PUBLIC_URL: url,
      LOG_LEVEL: 'warn',
    },
    signal,
  })
  children.push(child)
  return url
}

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  return typeof address === 'object' && address ? address.port : 0
}
