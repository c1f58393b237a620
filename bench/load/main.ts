import { sendPlan } from './calls.ts'
import { Client } from './client.ts'
import { Errors, runLoad } from './run-load.ts'
import type { Order, Outcome, PlanOrder } from './work.ts'

/** The load generator: a process of its own, so that it shares no event loop with what it measures. */
const CONNECTIONS = 256

const targets = new Map<string, { client: Client; known: string[] }>()

process.on('message', (order: Order) => {
  run(order).then(
    (outcome) => process.send?.({ outcome }),
    (error: unknown) => process.send?.({ failed: String(error) }),
  )
})

async function run(order: Order): Promise<Outcome> {
  const target = targets.get(order.url) ?? { client: new Client(order.url, CONNECTIONS), known: [] }
  targets.set(order.url, target)
  return order.order === 'load' ? runLoad(target.client, order, target.known) : runPlan(target.client, order)
}

async function runPlan(client: Client, { shape, size }: PlanOrder): Promise<Outcome> {
  const errors = new Errors()
  const begun = performance.now()
  await sendPlan(client, shape, size).catch((error: unknown) => errors.add(error))
  const milliseconds = performance.now() - begun
  client.rest()
  return {
    count: 1,
    seconds: milliseconds / 1_000,
    p50: milliseconds,
    p99: milliseconds,
    errors: errors.count,
    firstErrors: errors.first,
  }
}
