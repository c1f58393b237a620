/** How much one principal may ask. */
export interface Quota {
  /** Counts one call. Rejects with a TrellisError `rateLimited` that says when the next may come. */
  call(): Promise<void>
  /** Counts a stream, of the task or objective that is named, until it is released. @throws TrellisError limitExceeded */
  stream(id?: string): { release(): void }
}

/**
 * Counts one call of whoever it is. Bindings say so of everything that they are asked, whatever becomes of it: what is
 * refused costs work, too.
 */
export async function countCall({ quota }: { quota?: Quota }): Promise<void> {
  if (quota !== undefined) await quota.call()
}

/** The stream, counted for as long as it is open; as it is, where nothing is counted. */
export function counted<T>(
  quota: Quota | undefined,
  id: string | undefined,
  open: () => AsyncIterable<T>,
): AsyncIterable<T> {
  return quota === undefined ? open() : counting(quota, id, open)
}

async function* counting<T>(quota: Quota, id: string | undefined, open: () => AsyncIterable<T>) {
  const stream = quota.stream(id)
  try {
    yield* open()
  } finally {
    stream.release()
  }
}
