/** Rows of one table under change: reads see changes, what was loaded is never touched. */
export class Table<T extends object> {
  private readonly loaded: ReadonlyMap<string, T>
  private readonly changes = new Map<string, T>()
  private readonly inserts = new Map<string, T>()
  private readonly removals = new Set<string>()

  constructor(loaded: ReadonlyMap<string, T>) {
    this.loaded = loaded
  }

  get(key: string): T | undefined {
    if (this.removals.has(key)) return undefined
    return this.inserts.get(key) ?? this.changes.get(key) ?? this.loaded.get(key)
  }

  isNew(key: string): boolean {
    return this.inserts.has(key)
  }

  /** The row to write to; a copy is made at the first edit. The row must be there. */
  edit(key: string): T {
    const open = this.inserts.get(key) ?? this.changes.get(key)
    if (open !== undefined) return open
    const row = this.loaded.get(key)
    if (row === undefined) throw new Error(`edit of a row that is not loaded: ${key}`)
    const copy = { ...row }
    this.changes.set(key, copy)
    return copy
  }

  insert(key: string, row: T): T {
    this.inserts.set(key, row)
    return row
  }

  /** Takes a row away: one that was inserted never was. */
  remove(key: string): void {
    this.changes.delete(key)
    if (!this.inserts.delete(key)) this.removals.add(key)
  }

  /** Keys of the loaded rows that go. */
  get removed(): string[] {
    return [...this.removals]
  }

  /** The inserted rows that fit. */
  added(fits: (row: T) => boolean): T[] {
    const rows: T[] = []
    for (const row of this.inserts.values()) if (fits(row)) rows.push(row)
    return rows
  }

  get inserted(): T[] {
    return [...this.inserts.values()]
  }

  get changed(): T[] {
    return [...this.changes.values()]
  }
}
