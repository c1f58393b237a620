import type { Client } from '@a2a-js/sdk/client'
import type { Message } from '../domain/message.ts'
import type { RemoteBounds, RemoteEvent, RemoteTask } from './a2a-bounds.ts'
import type { CardSource, RemoteCard } from './a2a-card.ts'
import { RemoteAgentError, type RemoteName, remoteError } from './a2a-error.ts'
import { boundedFetch } from './a2a-fetch.ts'
import { boundedGrpc } from './a2a-grpc.ts'
import type { A2aOptions } from './a2a-options.ts'
import { messageToSdk } from './sdk-codec.ts'

/** A message to send, and what answers to it are wanted. */
export interface Outgoing {
  message: Message
  acceptedOutputModes: readonly string[]
}

interface Clients {
  card: RemoteCard
  /** Waits longer than the other. */
  sending: Client
  asking: Client
}

/** One remote agent, in whatever version and binding it speaks. Every call is bounded and rejects with a RemoteAgentError. */
export class RemoteAgent {
  readonly name: RemoteName
  readonly #cards: CardSource
  readonly #headers: Readonly<Record<string, string>>
  readonly #options: A2aOptions
  readonly #bounds: RemoteBounds
  #clients: Clients | undefined

  constructor(
    name: RemoteName,
    more: { cards: CardSource; headers: Readonly<Record<string, string>>; options: A2aOptions; bounds: RemoteBounds },
  ) {
    this.name = name
    this.#cards = more.cards
    this.#headers = more.headers
    this.#options = more.options
    this.#bounds = more.bounds
  }

  /** Whether the card offers streams. */
  async streams(): Promise<boolean> {
    return (await this.#connected()).card.streaming
  }

  /** Sends without waiting for the end of the work. (A2A 1.0 §3.2.2 returnImmediately, 0.3 `blocking: false`) */
  send(outgoing: Outgoing, signal: AbortSignal): Promise<RemoteEvent> {
    return this.#ask('a message was sent', async () => {
      const { sending } = await this.#connected()
      return this.#bounds.answer(await sending.sendMessage(request(outgoing), { signal }))
    })
  }

  /** Sends, and follows what comes of it. */
  sendStream(outgoing: Outgoing, signal: AbortSignal): AsyncGenerator<RemoteEvent, void> {
    return this.#stream('a message was sent', ({ sending }) => sending.sendMessageStream(request(outgoing), { signal }))
  }

  /** Follows a task that is under way. */
  subscribe(taskId: string, signal: AbortSignal): AsyncGenerator<RemoteEvent, void> {
    return this.#stream('its task was followed', ({ asking }) =>
      asking.resubscribeTask({ tenant: '', id: taskId }, { signal }),
    )
  }

  getTask(taskId: string, historyLength: number, signal: AbortSignal): Promise<RemoteTask> {
    return this.#ask('its task was looked at', async () => {
      const { asking } = await this.#connected()
      return this.#bounds.task(await asking.getTask({ tenant: '', id: taskId, historyLength }, { signal }))
    })
  }

  /** Cancels a task. What cannot be canceled, or is not known any more, counts as done. */
  async cancelTask(taskId: string, signal: AbortSignal): Promise<void> {
    try {
      await this.#ask('its task was canceled', async () => {
        const { asking } = await this.#connected()
        return asking.cancelTask({ tenant: '', id: taskId, metadata: undefined }, { signal })
      })
    } catch (error) {
      if (error instanceof RemoteAgentError && error.retryable) throw error
    }
  }

  /**
   * The task that a message became, by listing; undefined where none is found or listing is not offered (0.3 has none over
   * JSON-RPC, REST and gRPC). Looks through the newest few pages only.
   */
  async find(
    messageId: string,
    where: { contextId?: string; sentAt: string },
    signal: AbortSignal,
  ): Promise<RemoteTask | undefined> {
    const { asking } = await this.#connected()
    if (!asking.protocolVersion.startsWith('1.')) return undefined
    let pageToken = ''
    for (let page = 0; page < MAX_PAGES; page += 1) {
      const listed = await this.#page(asking, { ...where, pageToken }, signal)
      if (!listed) return undefined
      const task = listed.tasks.find((one) => one.history?.some((message) => message.messageId === messageId))
      if (task) return this.#bounds.task(task)
      pageToken = listed.nextPageToken
      if (!pageToken) return undefined
    }
    return undefined
  }

  async #page(client: Client, where: { contextId?: string; sentAt: string; pageToken: string }, signal: AbortSignal) {
    const params = {
      tenant: '',
      contextId: where.contextId ?? '',
      status: 0,
      pageSize: 50,
      pageToken: where.pageToken,
      historyLength: 50,
      // Clocks differ from host to host.
      statusTimestampAfter: new Date(Date.parse(where.sentAt) - CLOCK_SKEW_MS).toISOString(),
      includeArtifacts: true,
    }
    try {
      return await this.#ask('its tasks were listed', () => client.listTasks(params, { signal }))
    } catch (error) {
      if (error instanceof RemoteAgentError && !error.retryable) return undefined
      throw error
    }
  }

  async *#stream(
    doing: string,
    open: (clients: Clients) => AsyncIterable<Parameters<RemoteBounds['event']>[0]>,
  ): AsyncGenerator<RemoteEvent, void> {
    try {
      for await (const event of open(await this.#connected())) yield this.#bounds.event(event)
    } catch (error) {
      throw remoteError(this.name, doing, error)
    }
  }

  async #ask<T>(doing: string, call: () => Promise<T>): Promise<T> {
    try {
      return await call()
    } catch (error) {
      throw remoteError(this.name, doing, error)
    }
  }

  /** Clients are made anew when the card is. */
  async #connected(): Promise<Clients> {
    const card = await this.#cards.get()
    if (this.#clients?.card !== card) {
      const { sendTimeoutMs, responseTimeoutMs } = this.#options
      const [sending, asking] = await Promise.all([
        this.#client(card, sendTimeoutMs),
        this.#client(card, responseTimeoutMs),
      ])
      this.#clients = { card, sending, asking }
    }
    return this.#clients
  }

  async #client({ card }: RemoteCard, timeoutMs: number): Promise<Client> {
    const { ClientFactory, JsonRpcTransportFactory, RestTransportFactory } = await import('@a2a-js/sdk/client')
    const { idleTimeoutMs, maxResponseBytes } = this.#options
    const bounds = { agent: this.name, headers: this.#headers, timeoutMs, idleTimeoutMs, maxBytes: maxResponseBytes }
    const options = { fetchImpl: boundedFetch(bounds), legacyCompat: { enabled: true } }
    const transports = [new JsonRpcTransportFactory(options), new RestTransportFactory(options), boundedGrpc(bounds)]
    return new ClientFactory({ transports }).createFromAgentCard(card)
  }
}

const MAX_PAGES = 4
const CLOCK_SKEW_MS = 300_000

function request({ message, acceptedOutputModes }: Outgoing) {
  return {
    tenant: '',
    message: messageToSdk(message),
    configuration: {
      acceptedOutputModes: [...acceptedOutputModes],
      taskPushNotificationConfig: undefined,
      returnImmediately: true,
    },
    metadata: undefined,
  }
}
