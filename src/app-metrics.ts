import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client'
import type { Running } from './app-parts.ts'
import { VERSION } from './base/version.ts'
import type { WebhookDeliverer } from './events/webhooks.ts'

/** Of the process, however many servers are in it. */
let ofProcess: Registry | undefined

/** What /metrics shows: of this process, and of what waits in the database that it shares with others. */
export function buildMetrics({ attempts }: Running, webhooks: WebhookDeliverer | null): Registry {
  const registry = new Registry()
  const registers = [registry]
  const info = { name: 'trellis_info', help: 'The version that runs.', labelNames: ['version'], registers }
  new Gauge(info).set({ version: VERSION }, 1)
  new Gauge({
    name: 'trellis_attempts_running',
    help: 'Attempts at tasks that run in this process.',
    registers,
    collect() {
      this.set(attempts.active.list().length)
    },
  })
  if (webhooks !== null) webhookMetrics(webhooks, registers)
  if (ofProcess === undefined) {
    ofProcess = new Registry()
    collectDefaultMetrics({ register: ofProcess })
  }
  return Registry.merge([ofProcess, registry])
}

function webhookMetrics(webhooks: WebhookDeliverer, registers: Registry[]): void {
  new Counter({
    name: 'trellis_webhook_deliveries_total',
    help: 'What became of tries to deliver a webhook, in this process: one that failed may be tried again.',
    labelNames: ['outcome'],
    registers,
    collect() {
      this.reset()
      for (const [outcome, count] of Object.entries(webhooks.counts)) this.inc({ outcome }, count)
    },
  })
  new Gauge({
    name: 'trellis_webhook_deliveries_pending',
    help: 'Webhooks that wait to be delivered, by any server on this database.',
    registers,
    async collect() {
      this.set(await webhooks.pending())
    },
  })
}
