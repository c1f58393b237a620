import { globSync } from 'node:fs'
import { join, relative } from 'node:path'
import root, { type Test } from 'tap'

/** Longer than any file takes, so that one that hangs ends alone and says its name. */
const FILE_TIMEOUT_MS = 120_000

let current: Test = root

/**
 * The test that a file of tests hangs its own on: tap's root when the file is run alone, else its own test among those of
 * its folder, so that what it starts ends with it.
 */
const t: Test = new Proxy(root, {
  get(_, name) {
    const member: unknown = Reflect.get(current, name, current)
    return typeof member === 'function' ? member.bind(current) : member
  },
})
export default t

/**
 * Runs all test files of a folder in this one process, one after the other. Most of what a small file costs is the
 * start: the process, the modules of the server, the compiled database.
 */
export function runFolder(folder: string): void {
  for (const path of globSync(join(folder, '*.test.ts')).sort()) {
    root.test(relative(import.meta.dirname, path), { timeout: FILE_TIMEOUT_MS }, async (test) => {
      current = test
      await import(path)
    })
  }
}
