import type { AgentSkill } from './routing.ts'

export type AgentKind = 'a2a' | 'manual' | 'echo' | 'module'

/** One agent, as the configuration names it. */
export interface AgentConfig {
  /** Unique among the agents; what a task's `agent` names. */
  name: string
  kind: AgentKind
  /** For `a2a`: where the agent is, or the URL of its card if it ends in `.json`. */
  url?: string
  /** For `module`: a file path, relative to the working directory, or a package name. */
  path?: string
  description?: string
  /** For `a2a` without skills, those of the remote card are used. */
  skills?: readonly AgentSkill[]
  inputModes?: readonly string[]
  outputModes?: readonly string[]
  /** How many tasks it runs at once, across all replicas. */
  maxConcurrent?: number
  /** Per attempt, where the task does not say. */
  timeoutSeconds?: number
  /** Sent with every request to the agent, and to no other host. */
  headers?: Readonly<Record<string, string>>
  /** Which of the interfaces of the remote card to use: `1.0` or `0.3`. */
  protocolVersion?: string
  /** Which of the interfaces of the remote card to use: `JSONRPC`, `HTTP+JSON` or `GRPC`. */
  transport?: string
  /** The first pause before a task that does not stream is looked at again. */
  checkSeconds?: number
  /** Other hosts that the remote card may name in its interfaces. */
  hosts?: readonly string[]
}
