import { setTimeout as sleep } from 'node:timers/promises'
import { getTask, isDone, sendAndWait, sendOnly } from './calls.ts'
import type { Client } from './client.ts'
import type { LoadKind, LoadOrder, Outcome } from './work.ts'

/** How many of the tasks nobody waited for are looked at afterwards, evenly spread, the last ones always. */
const LOOKED_AT = 200
const DRAIN_SECONDS = 60
const KEPT_IDS = 5_000

/** Errors are counted, not thrown: a run that has any is worth nothing, and says so. */
export class Errors {
  count = 0
  readonly first: string[] = []

  add(error: unknown): void {
    this.count += 1
    const text = error instanceof Error ? error.message : String(error)
    if (this.first.length < 3 && !this.first.includes(text)) this.first.push(text)
  }
}

/** Keeps so many requests under way until enough are answered or the time is over. `known`: tasks that are done. */
export async function runLoad(client: Client, order: LoadOrder, known: string[]): Promise<Outcome> {
  const errors = new Errors()
  const latencies: number[] = []
  const sent: string[] = []
  const call = callOf(order.kind, client, known, sent)
  const begun = performance.now()
  const until = begun + order.seconds * 1_000
  let left = order.count
  const worker = async () => {
    while (left-- > 0 && performance.now() < until) {
      const start = performance.now()
      await call().catch((error: unknown) => errors.add(error))
      latencies.push(performance.now() - start)
    }
  }
  await Promise.all(Array.from({ length: order.concurrency }, worker))
  const seconds = (performance.now() - begun) / 1_000
  const drained = order.kind === 'sendNotWaiting' ? { drainSeconds: await drain(client, sent, errors) } : {}
  client.rest()
  if (known.length < KEPT_IDS) known.push(...sent.slice(0, KEPT_IDS - known.length))
  return {
    count: latencies.length,
    seconds,
    ...percentiles(latencies),
    ...drained,
    errors: errors.count,
    firstErrors: errors.first,
  }
}

function callOf(kind: LoadKind, client: Client, known: readonly string[], sent: string[]): () => Promise<void> {
  switch (kind) {
    case 'sendWaiting':
      return async () => void sent.push(await sendAndWait(client))
    case 'sendNotWaiting':
      return async () => void sent.push(await sendOnly(client))
    case 'get':
      return () => getTask(client, known[Math.floor(Math.random() * known.length)] as string)
  }
}

/** Waits until tasks that nobody waited for are done, and right. */
async function drain(client: Client, sent: readonly string[], errors: Errors): Promise<number> {
  const begun = performance.now()
  const step = Math.max(1, Math.floor(sent.length / LOOKED_AT))
  for (const id of sent.filter((_, i) => i % step === 0 || i >= sent.length - LOOKED_AT / 2).reverse()) {
    try {
      while (!(await isDone(client, id))) {
        if (performance.now() - begun > DRAIN_SECONDS * 1_000)
          throw new Error(`Not done after ${DRAIN_SECONDS} s: ${id}`)
        await sleep(5)
      }
    } catch (error) {
      errors.add(error)
    }
  }
  return (performance.now() - begun) / 1_000
}

export function percentiles(latencies: number[]): { p50: number; p99: number } {
  const sorted = latencies.sort((a, b) => a - b)
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
  return { p50: at(0.5), p99: at(0.99) }
}
