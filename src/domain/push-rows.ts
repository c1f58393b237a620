import type { Authentication, PushVersion } from './push.ts'

/** Rows of push configurations and their outbox, as the write path reads and writes them. */

export interface PushConfigRow {
  key: string
  contextKey: string
  /** The task's id; of an objective, its context's key. */
  scope: string
  taskId: string | null
  id: string
  url: string
  token: string | null
  authentication: Authentication | null
  version: PushVersion
  createdAt: string
}

/** An event to tell a push configuration of. */
export interface DeliveryRow {
  id: string
  tenant: string
  owner: string
  contextKey: string
  configKey: string
  configId: string
  taskId: string | null
  seq: number
  state: 'pending'
  createdAt: string
}

/** What a change adds to what a push configuration is to be told: how many deliveries, and from when they can be sent. */
export interface WebhookQueueRow {
  configKey: string
  pending: number
  dueAt: string
}
