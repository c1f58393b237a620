import type { Busy } from '../domain/queries/webhooks.ts'

/** How many deliveries each principal has under way here. */
export class Owners {
  readonly #busy = new Map<string, Busy>()

  /** One more, until the function is called. */
  enter({ tenant, owner }: Pick<Busy, 'tenant' | 'owner'>): () => void {
    const key = principalKey({ tenant, owner })
    const busy = this.#busy.get(key) ?? { tenant, owner, count: 0 }
    this.#busy.set(key, busy)
    busy.count += 1
    return () => {
      busy.count -= 1
      if (busy.count === 0) this.#busy.delete(key)
    }
  }

  count(of: Pick<Busy, 'tenant' | 'owner'>): number {
    return this.#busy.get(principalKey(of))?.count ?? 0
  }

  busy(): Busy[] {
    return [...this.#busy.values()]
  }
}

/** One text for each principal. */
export function principalKey({ tenant, owner }: Pick<Busy, 'tenant' | 'owner'>): string {
  return JSON.stringify([tenant, owner])
}
