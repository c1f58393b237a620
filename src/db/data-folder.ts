import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { TrellisError } from '../base/errors.ts'

const SQLITE_BUSY = 5

/** Held for as long as the process uses the folder. */
export interface DataFolderLock {
  /** Lets the next opener in. A second call does nothing. */
  release(): void
}

/**
 * Makes the folder if need be and takes it for this process; the embedded database bears one opener only and does not
 * check. The lock is the operating system's, held through SQLite, so it ends with its process however that ends: there is
 * no stale lock to take over, and no pid to mistake for a later process's. `trellis.pid` is only for the message.
 *
 * @throws TrellisError `unavailable` that names the holder
 */
export function lockDataFolder(folder: string): DataFolderLock {
  // The embedded database's files are anyone's to read and write: who may get at them is the folder's to say.
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const pidFile = join(folder, 'trellis.pid')
  const database = new DatabaseSync(join(folder, 'trellis.lock'), { timeout: 0 })
  try {
    database.exec('PRAGMA journal_mode = OFF; BEGIN EXCLUSIVE')
  } catch (error) {
    database.close()
    throw isBusy(error) ? inUse(folder, pidFile) : error
  }
  writeFileSync(pidFile, `${process.pid}\n`)
  return { release: () => database.isOpen && database.close() }
}

function isBusy(error: unknown): boolean {
  return (error as { errcode?: number }).errcode === SQLITE_BUSY
}

function inUse(folder: string, pidFile: string): TrellisError {
  const pid = readPid(pidFile)
  const holder = pid === '' ? 'another process' : pid === `${process.pid}` ? 'this process' : `the process ${pid}`
  return new TrellisError(
    'unavailable',
    `The data folder ${folder} is in use by ${holder}. Stop that one, name another folder with DATA_DIR, ` +
      'or give both a Postgres with DATABASE_URL.',
    { details: { folder, pid } },
  )
}

function readPid(pidFile: string): string {
  try {
    return readFileSync(pidFile, 'utf8').trim()
  } catch {
    return ''
  }
}
