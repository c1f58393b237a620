import { statSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { DemoClient, type WirePart, type WireTask } from './client.ts'
import { openScreen } from './screen.ts'
import { startStack } from './stack.ts'
import type { Tree } from './tree.ts'

const REQUEST =
  'Research how these packages guard against untrusted input, then write a cited summary in at most 300 words, then review it.'
const USAGE = 'Usage: npm run demo [-- --folder DIR --data DIR "request"]'

interface DemoOptions {
  folder: string
  /** Where the server keeps its data; a temporary folder when absent. */
  data?: string
  request: string
}

function readDemoOptions(): DemoOptions {
  const text = { type: 'string' } as const
  const { values, positionals } = parseArgs({ options: { folder: text, data: text }, allowPositionals: true })
  const folder = values.folder ?? 'node_modules'
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) {
    throw new TypeError(`--folder was ${JSON.stringify(folder)}; must be a folder of .md and .txt files\n${USAGE}`)
  }
  return { folder, ...(values.data && { data: values.data }), request: positionals.join(' ') || REQUEST }
}

/** Runs one request from start to deliverable. True when its objective (or its one task) completed. */
async function runDemo({ folder, data, request }: DemoOptions, signal: AbortSignal): Promise<boolean> {
  console.log(`Starting three agents over ${folder}, and the server …`)
  await using stack = disposable(await startStack({ folder, ...(data && { data }) }, signal))
  for (const agent of stack.agents) console.log(`  ${agent.name.padEnd(10)} ${agent.url}`)
  console.log(`  ${'server'.padEnd(10)} ${stack.url}\n\n> ${request}\n`)
  const client = new DemoClient(`${stack.url}/`, signal)
  const answer = await client.send(request)
  if ('message' in answer) return print(textOf(answer.message.parts))
  const { task } = answer
  const objectiveId = task.metadata?.['opt/v1/objectiveId']
  if (typeof objectiveId === 'string') await showObjective(client, objectiveId)
  const ended = await untilEnded(client, task.id)
  return printTask(ended)
}

function disposable<T extends { stop(): Promise<void> }>(stack: T): T & AsyncDisposable {
  return Object.assign(stack, { [Symbol.asyncDispose]: () => stack.stop() })
}

async function showObjective(client: DemoClient, id: string): Promise<Tree | undefined> {
  const screen = openScreen(process.stdout)
  let last: Tree | undefined
  try {
    for await (const tree of client.follow(id)) {
      last = tree
      screen.show(tree)
    }
  } finally {
    screen.done()
  }
  return last
}

/** A message that became one task has no tree to follow; its end is asked for. */
async function untilEnded(client: DemoClient, taskId: string): Promise<WireTask> {
  for (;;) {
    const task = await client.getTask(taskId)
    if (/COMPLETED|FAILED|CANCELED|REJECTED/.test(task.status.state)) return task
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
}

function printTask(task: WireTask): boolean {
  for (const artifact of task.artifacts ?? [])
    print(`\n──── ${artifact.name ?? 'artifact'} ────\n\n${textOf(artifact.parts)}`)
  const completed = task.status.state === 'TASK_STATE_COMPLETED'
  if (!completed) console.error(`\n${task.status.state}: ${textOf(task.status.message?.parts ?? [])}`)
  return completed
}

function textOf(parts: WirePart[]): string {
  return parts.flatMap((part) => part.text ?? []).join('\n')
}

function print(text: string): true {
  console.log(text)
  return true
}

const interrupted = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => interrupted.abort(new Error(signal)))
try {
  const options = readDemoOptions()
  process.exitCode = (await runDemo(options, interrupted.signal)) ? 0 : 1
} catch (error) {
  console.error(interrupted.signal.aborted ? '\nStopped.' : (error as Error).message)
  process.exitCode = interrupted.signal.aborted ? 130 : 1
}
