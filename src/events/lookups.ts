/** All addresses of a name, as the system knows them. */
export type Resolve = (hostname: string) => Promise<readonly string[]>

/** Node has four threads for lookups, files and more: names that are slow may not have all of them. */
const AT_ONCE = 3
/** Of those, one principal's, so that its slow names hold up nobody else's. */
const PER_PRINCIPAL = 2
/** Who has waited so long for its turn is answered by nobody: by then its caller has left, or is about to. */
const PATIENCE_MILLISECONDS = 3_000

interface Waiting {
  principal: string
  enter(): void
}

/** Looks names up, so many at once and each only once at a time; the others wait for their turn. */
export class Lookups {
  readonly #resolve: Resolve
  readonly #underWay = new Map<string, Promise<readonly string[]>>()
  readonly #waiting = new Set<Waiting>()
  /** The principals of the lookups that have their turn. */
  readonly #entered: string[] = []

  constructor(resolve: Resolve) {
    this.#resolve = resolve
  }

  /** Rejects as the lookup does, or when there are too many before it. */
  find(hostname: string, principal: string): Promise<readonly string[]> {
    const key = JSON.stringify([principal, hostname])
    const known = this.#underWay.get(key)
    if (known !== undefined) return known
    const finding = this.#inTurn(hostname, principal).finally(() => this.#underWay.delete(key))
    this.#underWay.set(key, finding)
    return finding
  }

  async #inTurn(hostname: string, principal: string): Promise<readonly string[]> {
    if (this.#mayEnter(principal)) this.#entered.push(principal)
    else await this.#turn(hostname, principal)
    try {
      return await this.#resolve(hostname)
    } finally {
      this.#leave(principal)
    }
  }

  #mayEnter(principal: string): boolean {
    const own = this.#entered.filter((other) => other === principal).length
    return this.#entered.length < AT_ONCE && own < PER_PRINCIPAL
  }

  #turn(hostname: string, principal: string): Promise<void> {
    return new Promise((resolve, reject) => {
      const waiting = {
        principal,
        enter: () => {
          clearTimeout(timer)
          resolve()
        },
      }
      const timer = setTimeout(() => {
        this.#waiting.delete(waiting)
        reject(new Error(`${hostname} was not looked up: too many names are slow to be found`))
      }, PATIENCE_MILLISECONDS)
      this.#waiting.add(waiting)
    })
  }

  /** Whoever has waited longest of those that may takes the place. */
  #leave(principal: string): void {
    this.#entered.splice(this.#entered.indexOf(principal), 1)
    const next = [...this.#waiting].find((waiting) => this.#mayEnter(waiting.principal))
    if (next === undefined) return
    this.#waiting.delete(next)
    this.#entered.push(next.principal)
    next.enter()
  }
}
