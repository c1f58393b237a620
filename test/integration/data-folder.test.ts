import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { lockDataFolder } from '../../src/db/data-folder.ts'
import t from '../tap.ts'

const MODULE = pathToFileURL(join(import.meta.dirname, '../../src/db/data-folder.ts')).href

/** Another process that locks the folder and holds it until it is killed. */
async function holder(folder: string) {
  const script = `import { lockDataFolder } from '${MODULE}'
    lockDataFolder(process.argv[1]); console.log('locked'); setInterval(() => {}, 1e6)`
  const child = spawn(process.execPath, ['--input-type=module-typescript', '-e', script, folder])
  await once(child.stdout, 'data')
  return child
}

t.test('one opener at a time, and the message names the other', async (t) => {
  const folder = join(t.testdir(), 'new', 'data')
  const lock = lockDataFolder(folder)
  t.throws(() => lockDataFolder(folder), { meaning: 'unavailable', message: /in use by this process\..*DATA_DIR/ })
  lock.release()
  lock.release()
  lockDataFolder(folder).release()
})

t.test('a living process keeps it, a killed one does not', async (t) => {
  const folder = t.testdir()
  const child = await holder(folder)
  t.teardown(() => child.kill('SIGKILL'))
  t.throws(() => lockDataFolder(folder), { message: new RegExp(`in use by the process ${child.pid}\\.`) })
  child.kill('SIGKILL')
  await once(child, 'exit')
  const lock = lockDataFolder(folder)
  t.throws(() => lockDataFolder(folder), { message: /in use by this process/ }, 'and the new holder has it')
  lock.release()
})
