import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { chmod, mkdir, readdir, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { PGlite } from '@electric-sql/pglite'
import { embeddedDatabase } from './client.ts'
import { migrate } from './migrate.ts'
import { preparedFolder } from './prepared.ts'
import { Queue } from './queue.ts'

/** Makes the empty database that first starts copy, if it is not there yet. Resolves with its folder. */
export async function prepareDatabase(migrations: string): Promise<string> {
  const folder = await preparedFolder(migrations)
  if (existsSync(folder)) return folder
  const part = `${folder}.${randomBytes(4).toString('hex')}`
  await mkdir(dirname(part), { recursive: true })
  try {
    await makeDatabase(part, migrations)
    await protect(part)
    // Another process may have been first.
    await rename(part, folder).catch((error) => {
      if (!existsSync(folder)) throw error
    })
  } finally {
    await rm(part, { recursive: true, force: true })
  }
  return folder
}

async function makeDatabase(folder: string, migrations: string): Promise<void> {
  const pglite = await PGlite.create(folder)
  await migrate({ exec: (sql) => pglite.exec(sql), query: (sql, params) => pglite.query(sql, params) }, migrations)
  const handlers = { plan: async () => undefined, 'remote-cancel': async () => undefined }
  const database = embeddedDatabase(pglite)
  const queue = new Queue({ database, databaseUrl: undefined, handlers, onError: () => undefined })
  await queue.start()
  await queue.stop()
  await database.close()
}

/** PGlite's files are anyone's to write, and keys of those who may call are in what later starts copy and then fill. */
async function protect(folder: string): Promise<void> {
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (entry.isFile()) await chmod(join(entry.parentPath, entry.name), 0o644)
  }
}
