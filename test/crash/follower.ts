import { EventEmitter, once } from 'node:events'
import type { Client } from './client.ts'

export interface ObjectiveEvent {
  seq: number
  type: string
  taskId?: string
  data: Record<string, unknown>
}

/** More than the longest wait there is: for the job of a dead process to be due again. */
const PATIENCE_MS = 40_000
const ENDED = ['completed', 'failed', 'canceled']

/** Follows one objective from server to server: it comes back with the id of the last event it saw. */
export class Follower {
  readonly objectiveId: string
  readonly events: ObjectiveEvent[] = []
  readonly #after: number
  readonly #changes = new EventEmitter().setMaxListeners(0)
  /** How its connections ended, for whoever waits in vain. */
  readonly #broken: string[] = []
  #last: number

  constructor(objectiveId: string, after: number) {
    this.objectiveId = objectiveId
    this.#after = after
    this.#last = after
  }

  /** Goes on where it was, in the background. A connection that breaks is left until the next call. */
  connect(client: Client): void {
    void this.#open(client).catch((error) => this.#broken.push(String(error)))
  }

  /** Resolves with the first event that passes, past or to come. */
  async until(passes: (event: ObjectiveEvent) => boolean): Promise<ObjectiveEvent> {
    const signal = AbortSignal.timeout(PATIENCE_MS)
    for (;;) {
      const found = this.events.find(passes)
      if (found) return found
      await once(this.#changes, 'change', { signal }).catch(() => this.#neverCame())
    }
  }

  /** Resolves with the status that the objective ended with. */
  async ended(): Promise<unknown> {
    const end = await this.until(
      ({ type, data }) => type === 'objective.status' && ENDED.includes(String(data['status'])),
    )
    return end.data['status']
  }

  of(type: string, taskId?: string): ObjectiveEvent[] {
    return this.events.filter((event) => event.type === type && (taskId === undefined || event.taskId === taskId))
  }

  /** The id of the task with this name. */
  taskId(name: string): string {
    const created = this.events.find(({ type, data }) => type === 'task.created' && data['name'] === name)
    if (created?.taskId === undefined) throw new Error(`No task is named ${name}`)
    return created.taskId
  }

  /** Seqs that came twice, out of order, or not at all. */
  get gaps(): number[] {
    return this.events.map(({ seq }) => seq).filter((seq, i) => seq !== this.#after + i + 1)
  }

  #neverCame(): never {
    const seen = this.events.map((event) => JSON.stringify(event)).join('\n')
    throw new Error(`It never came. What did:\n${seen}\n${this.#broken.join('\n')}`)
  }

  async #open(client: Client): Promise<void> {
    const response = await client.subscribe(this.objectiveId, this.#last)
    if (!response.headers.get('content-type')?.includes('text/event-stream')) throw new Error(await response.text())
    let text = ''
    for await (const chunk of (response.body as ReadableStream<Uint8Array>).pipeThrough(new TextDecoderStream())) {
      text += chunk
      const frames = text.split('\n\n')
      text = frames.pop() ?? ''
      for (const frame of frames) this.#take(frame)
    }
  }

  #take(frame: string): void {
    const id = /^id: (\d+)$/m.exec(frame)?.[1]
    const data = /^data: (.*)$/m.exec(frame)?.[1]
    if (data === undefined) return
    const { event } = JSON.parse(data).result as { event: ObjectiveEvent }
    if (Number(id) !== event.seq) throw new Error(`The id ${id} is not the seq of ${data}`)
    this.#last = event.seq
    this.events.push(event)
    this.#changes.emit('change')
  }
}
