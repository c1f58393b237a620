import { LRUCache } from 'lru-cache'
import { isTerminal, type TaskView } from '../task.ts'
import type { TaskKey, TaskReader } from './tasks.ts'

const MAX_BYTES = 64 * 1024 * 1024
const MAX_TASK_BYTES = 256 * 1024
/** So that one that was deleted is not shown for long. */
const KEPT_MILLISECONDS = 60_000

/**
 * Reads tasks like `read`, and remembers those that are finished and in sight: they never change, unless a replan carries
 * one that is completed into another plan, so that those in plans are not remembered. Kept under everything
 * that decides what a caller may see and how much of it. A remembered view's `seq` is that of its first reading.
 */
export function rememberFinished(read: TaskReader): TaskReader {
  const finished = new LRUCache<string, TaskView>({
    maxSize: MAX_BYTES,
    maxEntrySize: MAX_TASK_BYTES,
    // Two bytes for a character, and as much again for being an object.
    sizeCalculation: (task) => JSON.stringify(task).length * 4,
    ttl: KEPT_MILLISECONDS,
  })
  return async (key) => {
    const name = nameOf(key)
    const known = finished.get(name)
    if (known !== undefined) return known
    const task = await read(key)
    if (task !== null && isFinal(task)) finished.set(name, task)
    return task
  }
}

function nameOf({ tenant, owner, id, historyLength, includeArtifacts }: TaskKey): string {
  return JSON.stringify([tenant, owner, id, historyLength, includeArtifacts])
}

function isFinal({ state, planId, unseen, unseenFor }: TaskView): boolean {
  const mayBeCarried = state === 'completed' && planId !== undefined
  return isTerminal(state) && !mayBeCarried && unseen === undefined && unseenFor === undefined
}
