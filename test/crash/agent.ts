import { join } from 'node:path'
import type { Dialect } from '../integration/executor-remote-agent.ts'
import { Child } from './child.ts'

export interface Received {
  received: string
  taskId: string
  text: string
}

/** A remote agent in a process of its own, which no crash of a server harms. */
export class Agent {
  readonly url: string
  readonly #child: Child

  private constructor(child: Child, url: string) {
    this.#child = child
    this.url = url
  }

  static async start(
    t: { teardown(end: () => unknown): void },
    { dialect = '1.0 JSONRPC', streaming = true }: { dialect?: Dialect; streaming?: boolean } = {},
  ): Promise<Agent> {
    const main = join(import.meta.dirname, 'remote-agent.ts')
    const child = new Child(t, [main, dialect, streaming ? 'streaming' : 'polling'], {})
    const url = await child.until((lines) => said(lines).find((one) => one['url'])?.['url'])
    return new Agent(child, url as string)
  }

  /** How a server's config names it. */
  get config() {
    return { name: 'remote', kind: 'a2a', url: this.url, checkSeconds: 0.2 }
  }

  /** The messages that it got for tasks with this text, oldest first. */
  received(text: string): Received[] {
    return said(this.#child.lines).filter((one): one is typeof one & Received => one['text'] === text)
  }

  /** Resolves once it got the n-th message with this text. */
  receives(text: string, n = 1): Promise<Received> {
    return this.#child.until(() => this.received(text)[n - 1])
  }

  /** JSON-RPC methods that were called, oldest first. */
  get methods(): string[] {
    return said(this.#child.lines).flatMap((one) => (one['method'] ? [String(one['method'])] : []))
  }

  /** Resolves once the method was called that often. */
  called(method: string, times: number): Promise<true> {
    return this.#child.until(() => (this.methods.filter((one) => one === method).length >= times ? true : undefined))
  }

  /** Resolves once a cancel of its task came. */
  canceled(taskId: string): Promise<true> {
    return this.#child.until((lines) => (said(lines).some((one) => one['canceled'] === taskId) ? true : undefined))
  }

  release(text: string): void {
    this.#child.say(`release ${text}`)
  }
}

function said(lines: readonly string[]): Record<string, unknown>[] {
  return lines.filter((line) => line.startsWith('{')).map((line) => JSON.parse(line))
}
