import { isInterrupted, isTerminal, type TaskState, type TaskView } from '../../domain/task.ts'
import type { Wake } from '../../events/hub.ts'
import type { CoreDeps } from './deps.ts'

const POLL_MILLISECONDS = 5_000

/**
 * Waits until a task is terminal or interrupted, the caller leaves, or `limits.blockingSeconds` are over. A task that was
 * created just now is as it was then until the first wake-up. (design §8.1)
 */
export async function waitUntilSettled(
  deps: CoreDeps,
  wake: Wake,
  { taskId, created }: { taskId: string; created?: TaskView },
  signal: AbortSignal,
): Promise<void> {
  const { blockingSeconds } = deps.limits
  const until = blockingSeconds === undefined ? Number.POSITIVE_INFINITY : Date.now() + blockingSeconds * 1_000
  let state: TaskState | null = created?.state ?? (await deps.readState(taskId))
  for (;;) {
    if (state === null || isTerminal(state) || isInterrupted(state)) return
    const left = until - Date.now()
    if (signal.aborted || left <= 0) return
    await wake.next(Math.min(POLL_MILLISECONDS, left), signal)
    state = await deps.readState(taskId)
  }
}

/** Waits for the executor's first event, `limits.firstEventSeconds` at most: it may be a Message, and then that is the answer. */
export async function waitForFirstEvent(deps: CoreDeps, taskId: string, signal: AbortSignal): Promise<void> {
  const first = deps.attempts.firstEvent(taskId)
  if (first === undefined) return
  const { promise: over, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, deps.limits.firstEventSeconds * 1_000)
  signal.addEventListener('abort', () => resolve(), { once: true })
  await Promise.race([first, over])
  clearTimeout(timer)
}
