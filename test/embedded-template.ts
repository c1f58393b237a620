import { randomBytes } from 'node:crypto'
import { cpSync } from 'node:fs'
import { readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { PGlite } from '@electric-sql/pglite'
import { prepareDatabase } from '../src/db/prepare.ts'
import { MIGRATIONS } from '../src/migrations.ts'

/** What a test writes fits, and every byte is cleared at each start. */
const SMALL = ['-c', 'shared_buffers=16MB', '-c', 'wal_buffers=4MB']

let dump: Promise<Blob> | undefined

/** An embedded database that is migrated and has its queues, in memory. The first process of all leaves a dump for the others. */
export async function openEmbeddedCopy(): Promise<PGlite> {
  dump ??= readOrMakeDump()
  return PGlite.create({ loadDataDir: await dump, startParams: [...PGlite.defaultStartParams, ...SMALL] })
}

/** Makes a data folder of the same, as a server finds it that was stopped. Only files are copied. */
export async function copyDataFolder(folder: string): Promise<void> {
  cpSync(await prepareDatabase(MIGRATIONS), join(folder, 'postgres'), { recursive: true })
}

/** Two processes may make it at once; what one reads is whole, whoever was last. */
async function readOrMakeDump(): Promise<Blob> {
  const folder = await prepareDatabase(MIGRATIONS)
  const kept = await readFile(`${folder}.tar`).catch(() => null)
  if (kept !== null) return new Blob([kept])
  const part = `${folder}.${randomBytes(4).toString('hex')}`
  cpSync(folder, part, { recursive: true })
  const pglite = await PGlite.create(part)
  const made = await pglite.dumpDataDir('none')
  await pglite.close()
  await writeFile(`${part}.tar`, Buffer.from(await made.arrayBuffer()))
  await rename(`${part}.tar`, `${folder}.tar`)
  await rm(part, { recursive: true })
  return made
}
