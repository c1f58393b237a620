import { once } from 'node:events'
import { WebSocket } from 'ws'
import type { Answer, Server } from './rpc.ts'

/** A WebSocket client that hands out what it receives, in order. */
export class Socket {
  readonly #socket: WebSocket
  readonly #received: Answer[] = []
  closeCode: number | undefined
  #wake: () => void = () => {}

  private constructor(socket: WebSocket) {
    this.#socket = socket
    socket.on('message', (bytes) => {
      this.#received.push(JSON.parse(String(bytes)))
      this.#wake()
    })
    socket.on('close', (code) => {
      this.closeCode = code
      this.#wake()
    })
  }

  static async open(server: Server, headers: Record<string, string> = {}, query = ''): Promise<Socket> {
    const socket = new WebSocket(`${server.baseUrl.replace(/^http/, 'ws')}/ws${query}`, { headers })
    const opened = new Socket(socket)
    await once(socket, 'open')
    return opened
  }

  send(body: unknown): void {
    this.#socket.send(typeof body === 'string' ? body : JSON.stringify(body))
  }

  sendBytes(bytes: Buffer): void {
    this.#socket.send(bytes)
  }

  /** The next thing received; fails once the socket is closed. */
  async next(): Promise<Answer> {
    while (this.#received.length === 0) {
      if (this.#socket.readyState === WebSocket.CLOSED) throw new Error('the socket is closed')
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    }
    return this.#received.shift()
  }

  async call(method: string, params?: unknown, more: object = {}): Promise<Answer> {
    this.send({ jsonrpc: '2.0', id: 1, method, params, ...more })
    return this.next()
  }

  pause(): void {
    this.#socket.pause()
  }

  resume(): void {
    this.#socket.resume()
  }

  async close(): Promise<void> {
    if (this.#socket.readyState === WebSocket.CLOSED) return
    const closed = once(this.#socket, 'close')
    this.#socket.close()
    await closed
  }
}
