/** The protocol version that a push configuration was registered by: its receiver is spoken to in that. */
export type PushVersion = '1.0' | '0.3'

/** What a receiver wants to see in `Authorization`. 0.3 names several schemes, 1.0 one: the first is used. */
export interface Authentication {
  schemes: string[]
  credentials?: string
}

/** Where to be told of what happens. */
export interface PushConfig {
  /** Unique in its task or objective; one is made when it is absent. */
  id?: string
  url: string
  token?: string
  authentication?: Authentication
  version: PushVersion
}

/** A push configuration as it is stored. `of`: the task's id, or the objective's. */
export type PushConfigView = PushConfig & { id: string; of: string }

export const DELIVERY_STATES = ['pending', 'delivered', 'parked'] as const
/** `parked`: given up, after a day of tries, an end of its configuration, or an answer that wants no more. */
export type DeliveryState = (typeof DELIVERY_STATES)[number]

/** What became of telling one configuration of one event. */
export interface DeliveryView {
  /** The webhook-id that the receiver knows it by. */
  id: string
  configId: string
  /** The objective's id, which is the contextId. */
  contextId: string
  /** Absent for what an objective's configuration is told. */
  taskId?: string
  /** The event's place in its context. */
  seq: number
  state: DeliveryState
  attempts: number
  /** The last answer's HTTP status. */
  lastStatus?: number
  lastError?: string
  /** ISO 8601, as all times: when it is tried again. */
  nextAttemptAt?: string
  createdAt: string
  endedAt?: string
}
