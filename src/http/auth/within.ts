/** What is awaited, or the error once that takes too long. What comes later is dropped. */
export async function within<T>(seconds: number, awaited: Promise<T>, error: () => Error): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(error()), seconds * 1_000)
    timer.unref()
  })
  try {
    return await Promise.race([awaited, late])
  } finally {
    clearTimeout(timer)
  }
}
