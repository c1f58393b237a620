/** All addresses of a name, as the system knows them. */
export type Resolve = (hostname: string) => Promise<readonly string[]>

/** Node has four threads for lookups, files and more: names that are slow may not have all of them. */
const AT_ONCE = 2
/** Who has waited so long for its turn is answered by nobody: by then its caller has left, or is about to. */
const PATIENCE_MILLISECONDS = 3_000

/** Looks names up, so many at once and each only once at a time; the others wait for their turn. */
export class Lookups {
  readonly #resolve: Resolve
  readonly #underWay = new Map<string, Promise<readonly string[]>>()
  readonly #waiting = new Set<() => void>()
  #busy = 0

  constructor(resolve: Resolve) {
    this.#resolve = resolve
  }

  /** Rejects as the lookup does, or when there are too many before it. */
  find(hostname: string): Promise<readonly string[]> {
    const known = this.#underWay.get(hostname)
    if (known !== undefined) return known
    const finding = this.#inTurn(hostname).finally(() => this.#underWay.delete(hostname))
    this.#underWay.set(hostname, finding)
    return finding
  }

  async #inTurn(hostname: string): Promise<readonly string[]> {
    if (this.#busy < AT_ONCE) this.#busy += 1
    else await this.#turn(hostname)
    try {
      return await this.#resolve(hostname)
    } finally {
      this.#next()
    }
  }

  #turn(hostname: string): Promise<void> {
    return new Promise((resolve, reject) => {
      const enter = () => {
        clearTimeout(timer)
        resolve()
      }
      const timer = setTimeout(() => {
        this.#waiting.delete(enter)
        reject(new Error(`${hostname} was not looked up: too many names are slow to be found`))
      }, PATIENCE_MILLISECONDS)
      this.#waiting.add(enter)
    })
  }

  /** Whose turn it is takes the place of the one that ended. */
  #next(): void {
    const [enter] = this.#waiting
    if (enter === undefined) {
      this.#busy -= 1
      return
    }
    this.#waiting.delete(enter)
    enter()
  }
}
