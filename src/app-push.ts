import type { CoreDeps } from './a2a/core/deps.ts'
import { renderDelivery } from './a2a/core/push-body.ts'
import type { AppOptions, Base } from './app-parts.ts'
import type { Config } from './base/config.ts'
import { VERSION } from './base/version.ts'
import { loadWebhookSigner, type WebhookSigner } from './events/webhook-signature.ts'
import { WebhookDeliverer } from './events/webhooks.ts'

/** What tells clients of what happens, and the key that it signs with. */
export interface Webhooks {
  deliverer: WebhookDeliverer
  signer: WebhookSigner
}

/** Null: push notifications are switched off. */
export async function buildWebhooks(base: Base, core: CoreDeps, options: AppOptions): Promise<Webhooks | null> {
  if (core.push === null) return null
  const { sql, changes, database } = base
  const { config, log, fault } = options
  const signer = await loadWebhookSigner(sql)
  const deliverer = new WebhookDeliverer({
    ...{ sql, changes, signer, log, fault },
    guard: core.push.guard,
    render: (head) => renderDelivery(core, head),
    settings: { ...config.push, perOwner: perOwner(config) },
    userAgent: `Trellis/${VERSION}`,
    only: database.embedded !== undefined,
  })
  return { deliverer, signer }
}

/** A quarter, unless it is said. Where nobody is asked who calls there is one principal, and nobody to be fair to. */
function perOwner({ auth, push }: Config): number {
  return push.concurrentPerPrincipal ?? (auth.mode === 'none' ? push.concurrent : Math.ceil(push.concurrent / 4))
}
