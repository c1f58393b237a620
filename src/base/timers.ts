/** setTimeout takes no more: what is longer would fire at once. */
export const LONGEST_MILLISECONDS = 2 ** 31 - 1

/** What settings that go into a timer as they are may be: 24 days. */
export const LONGEST_SECONDS = 24 * 24 * 3_600

/** Acts once so much time is over, however long that is, unless it is stopped before. */
export function after(milliseconds: number, act: () => void): { stop(): void } {
  let left = milliseconds
  let timer: NodeJS.Timeout | undefined
  const wind = () => {
    const step = Math.min(left, LONGEST_MILLISECONDS)
    left -= step
    timer = setTimeout(() => (left > 0 ? wind() : act()), step)
  }
  wind()
  return { stop: () => clearTimeout(timer) }
}
