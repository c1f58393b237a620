/**
 * Why an attempt failed, as its executor knows it. The runner retries under the task's retry policy unless `retryable`
 * is false; any other exception counts as retryable. (design §6)
 */
export class ExecutorError extends Error {
  readonly retryable: boolean

  constructor(message: string, more: { retryable: boolean; cause?: unknown }) {
    super(message, more.cause === undefined ? undefined : { cause: more.cause })
    this.name = 'ExecutorError'
    this.retryable = more.retryable
  }
}

/** Whether trying again may help. Only an executor that says no is believed. */
export function isRetryable(error: unknown): boolean {
  return !(error instanceof ExecutorError) || error.retryable
}
