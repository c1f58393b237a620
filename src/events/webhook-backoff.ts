export interface BackoffPolicy {
  backoffSeconds: number
  maxBackoffSeconds: number
  /** How long after its event a delivery is given up. */
  retryHours: number
}

/**
 * After how many seconds a delivery that has failed so often is tried again: twice as long each time, with jitter over the
 * upper half, so that what failed together does not come back together. Null: it is given up. (design §8.4)
 *
 * @param failures this one included
 * @param ageSeconds since the event
 * @param random from 0 up to 1
 */
export function nextTry(policy: BackoffPolicy, failures: number, ageSeconds: number, random: number): number | null {
  const full = Math.min(policy.maxBackoffSeconds, policy.backoffSeconds * 2 ** (failures - 1))
  const seconds = full * (0.5 + random / 2)
  return ageSeconds + seconds > policy.retryHours * 3_600 ? null : seconds
}
