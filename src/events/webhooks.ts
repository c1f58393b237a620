import type { Logger } from 'pino'
import type { Sql } from '../db/client.ts'
import type { Changes } from '../domain/change.ts'
import { removePushConfig } from '../domain/commands/push.ts'
import type { Changed } from '../domain/group.ts'
import {
  countPending,
  dropDelivery,
  endDelivery,
  forgetDeliveries,
  type Head,
  postponeDelivery,
  releaseQueues,
  retryDelivery,
  takeHeads,
} from '../domain/queries/webhooks.ts'
import { Wake } from './hub.ts'
import { Owners, principalKey } from './owners.ts'
import { type BackoffPolicy, nextTry } from './webhook-backoff.ts'
import type { UrlGuard } from './webhook-guard.ts'
import { type Posted, postWebhook } from './webhook-request.ts'
import type { WebhookSigner } from './webhook-signature.ts'

/** What is posted; or that there is nothing to tell; or in how many seconds there may be. */
export type Rendered =
  | { kind: 'body'; body: string; contentType: string }
  | { kind: 'nothing' }
  | { kind: 'later'; seconds: number }

export interface DelivererOptions {
  sql: Sql
  changes: Changes
  guard: UrlGuard
  signer: WebhookSigner
  /** Writes the body, in the version that the receiver reads. */
  render: (head: Head) => Promise<Rendered>
  settings: BackoffPolicy & {
    timeoutSeconds: number
    concurrent: number
    /** Of `concurrent`, the most that one principal's receivers may hold, so that slow ones hold up nobody else's. */
    perOwner: number
    pollSeconds: number
    keepDeliveredHours: number
    keepParkedHours: number
  }
  userAgent: string
  /** No other process can have this database open. */
  only: boolean
  log: Logger
  fault?: ((point: string) => Promise<void> | void) | undefined
}

const GONE = 410
/** Between two looks, so that those that end at about the same time are followed by one look. At least as long as a look took. */
const PAUSE_MILLISECONDS = 5
const FORGET_MILLISECONDS = 600_000
/** How long a stop waits for deliveries under way; after that they are made again by whoever comes next. */
const GRACE_MILLISECONDS = 5_000

/**
 * Tells push configurations of events, out of the outbox: in order, one at a time for each configuration, until each was
 * taken (2xx), refused for good (410), or a day has passed. A crash between sending and marking sends again, under the same
 * webhook-id. Servers share the work: a queue is held by one at a time. (design §8.4)
 */
export class WebhookDeliverer {
  /** Since this process started. A delivery that failed may fail again, be delivered or parked later. */
  readonly counts = { delivered: 0, failed: 0, parked: 0 }
  readonly #options: DelivererOptions
  readonly #active = new Set<Promise<void>>()
  readonly #owners = new Owners()
  readonly #wake = new Wake(() => undefined)
  readonly #stopping = new AbortController()
  readonly #aborting = new AbortController()
  #running: Promise<void> | undefined
  #forgetting: NodeJS.Timeout | undefined

  constructor(options: DelivererOptions) {
    this.#options = options
  }

  async start(): Promise<void> {
    const { sql, only } = this.#options
    if (only) await releaseQueues(sql)
    this.#running = this.#run()
    this.#forgetting = setInterval(() => void this.forget(), FORGET_MILLISECONDS).unref()
  }

  /** Resolves when nothing of it runs any more. */
  async stop(): Promise<void> {
    clearInterval(this.#forgetting)
    this.#stopping.abort()
    await this.#running
    const timer = setTimeout(() => this.#aborting.abort(), GRACE_MILLISECONDS)
    await Promise.all(this.#active)
    clearTimeout(timer)
  }

  /** A committed change may have something to tell: now, or once its task is in sight. */
  committed({ copy }: Changed): void {
    for (const { dueAt } of copy.webhookQueues) this.#wakeIn(Date.parse(dueAt) - Date.parse(copy.now))
  }

  /** Deliveries that wait, on all servers. */
  pending(): Promise<number> {
    return countPending(this.#options.sql)
  }

  /** Forgets what is over for long enough. */
  async forget(): Promise<void> {
    const { sql, settings, log } = this.#options
    try {
      await forgetDeliveries(sql, 'delivered', settings.keepDeliveredHours)
      await forgetDeliveries(sql, 'parked', settings.keepParkedHours)
    } catch (error) {
      log.warn({ err: error }, 'old deliveries could not be forgotten')
    }
  }

  #wakeIn(milliseconds: number): void {
    if (milliseconds <= 0) this.#wake.ring()
    else setTimeout(() => this.#wake.ring(), milliseconds + 1).unref()
  }

  async #run(): Promise<void> {
    const { settings, log } = this.#options
    const { signal } = this.#stopping
    while (!signal.aborted) {
      const began = performance.now()
      await this.#takeWhatIsDue().catch((error) => log.warn({ err: error }, 'deliveries could not be read'))
      // Past 50,000 queues of one principal that has its share, a look takes a quarter of a second.
      const pause = Math.max(PAUSE_MILLISECONDS, performance.now() - began)
      await new Promise((resolve) => setTimeout(resolve, pause))
      await this.#wake.next(settings.pollSeconds * 1_000, signal)
    }
  }

  async #takeWhatIsDue(): Promise<void> {
    const { sql, settings } = this.#options
    const { perOwner } = settings
    const limit = settings.concurrent - this.#active.size
    if (limit <= 0) return
    const taken = Date.now()
    const heads = await takeHeads(sql, { limit, perOwner, busy: this.#owners.busy(), leaseSeconds: this.#leaseSeconds })
    for (const head of heads) this.#begin(head, taken)
    // Behind a principal that has its share by now there may be others.
    if (heads.some((head) => this.#owners.count(head) >= perOwner)) await this.#takeWhatIsDue()
  }

  #begin(head: Head, taken: number): void {
    const leave = this.#owners.enter(head)
    const delivery = this.#deliver(head, taken).finally(() => {
      leave()
      this.#active.delete(delivery)
      this.#wake.ring()
    })
    this.#active.add(delivery)
  }

  /** Long enough for writing the body and for the receiver's answer. */
  get #leaseSeconds(): number {
    return this.#options.settings.timeoutSeconds * 2 + 1
  }

  /** Never rejects: what could not be marked is due again when the lease is over. */
  async #deliver(head: Head, taken: number): Promise<void> {
    const { sql, settings, log } = this.#options
    try {
      const rendered = await this.#rendered(head)
      if (rendered === null) return
      if (rendered.kind === 'nothing') await dropDelivery(sql, head)
      else if (rendered.kind === 'later') await this.#postpone(head, rendered.seconds)
      // What is left of the lease may be too short: somebody else might begin before this ends.
      else if (Date.now() - taken > settings.timeoutSeconds * 1_000) await this.#postpone(head, 0)
      else await this.#settle(head, await this.#post(head, rendered))
    } catch (error) {
      log.warn({ err: error, deliveryId: head.id }, 'a delivery could not be settled; it is made again')
    }
  }

  /** Null: it could not be written, which counts as a failed try. */
  async #rendered(head: Head): Promise<Rendered | null> {
    try {
      return await this.#options.render(head)
    } catch (error) {
      this.#options.log.warn({ err: error, deliveryId: head.id }, 'a delivery could not be written')
      await this.#fail(head, { status: null, error: 'could not be written' })
      return null
    }
  }

  async #postpone(head: Head, seconds: number): Promise<void> {
    await postponeDelivery(this.#options.sql, head, seconds)
    this.#wakeIn(seconds * 1_000)
  }

  async #post(head: Head, { body, contentType }: Extract<Rendered, { kind: 'body' }>): Promise<Posted> {
    const { guard, settings, fault } = this.#options
    await fault?.('webhook:before-send')
    const posted = await postWebhook(guard, {
      url: head.url,
      principal: principalKey(head),
      headers: this.#headers(head, body, contentType),
      body,
      timeoutSeconds: settings.timeoutSeconds,
      signal: this.#aborting.signal,
    })
    await fault?.('webhook:before-mark')
    return posted
  }

  #headers(head: Head, body: string, contentType: string): Record<string, string> {
    const timestamp = Math.floor(Date.now() / 1_000)
    const { schemes: [scheme] = [], credentials } = head.authentication ?? {}
    return {
      'content-type': contentType,
      'user-agent': this.#options.userAgent,
      'webhook-id': head.id,
      'webhook-timestamp': String(timestamp),
      'webhook-signature': this.#options.signer.sign(head.id, timestamp, body),
      ...(head.token !== null && { 'x-a2a-notification-token': head.token }),
      ...(scheme !== undefined && credentials !== undefined && { authorization: `${scheme} ${credentials}` }),
    }
  }

  async #settle(head: Head, posted: Posted): Promise<void> {
    if (posted.error === null) {
      if (await endDelivery(this.#options.sql, head, 'delivered', posted)) this.counts.delivered += 1
    } else if (posted.status === null && this.#aborting.signal.aborted) {
      await postponeDelivery(this.#options.sql, head, 0)
    } else if (posted.status === GONE) {
      await this.#park(head, posted)
      await this.#unsubscribe(head)
    } else await this.#fail(head, posted)
  }

  async #fail(head: Head, posted: Posted): Promise<void> {
    const { sql, settings } = this.#options
    this.counts.failed += 1
    const seconds = nextTry(settings, head.failures + 1, head.ageSeconds, Math.random())
    if (seconds === null) return this.#park(head, posted)
    await retryDelivery(sql, head, seconds, posted)
    // Later ones are found by the poll.
    if (seconds < settings.pollSeconds) this.#wakeIn(seconds * 1_000)
  }

  async #park(head: Head, posted: Posted): Promise<void> {
    if (await endDelivery(this.#options.sql, head, 'parked', posted)) this.counts.parked += 1
    this.#options.log.warn(
      { deliveryId: head.id, configId: head.configId, reason: posted.error },
      'a delivery was given up',
    )
  }

  /** 410 says that the receiver wants no more: the configuration goes, unless it has another URL by now. */
  async #unsubscribe({ contextKey, configKey, taskId, configId, url }: Head): Promise<void> {
    await this.#options.changes.apply({
      target: { kind: 'known', key: contextKey },
      needs: [],
      decide: (w) => {
        const known = w.allPushConfigs().find(({ key }) => key === configKey)
        if (known?.url === url) removePushConfig(w, taskId, configId)
        return () => undefined
      },
    })
  }
}
