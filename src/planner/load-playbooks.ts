import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parse } from 'yaml'
import { type Playbook, parsePlaybook } from './playbooks.ts'

/**
 * The playbooks of a folder's .yaml and .yml files, in the order of their names; none where there is no such folder.
 * Rejects with an Error naming the file where one is not a playbook.
 */
export async function loadPlaybooks(folder: string): Promise<Playbook[]> {
  const files = (await filesIn(folder)).filter((file) => /\.ya?ml$/.test(file)).sort()
  return Promise.all(
    files.map(async (file) => {
      const path = join(folder, file)
      const text = await readFile(path, 'utf8')
      return parsePlaybook(path, parseYaml(path, text))
    }),
  )
}

async function filesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}

function parseYaml(path: string, text: string): unknown {
  try {
    return parse(text)
  } catch (error) {
    throw new Error(`Playbook ${path}: is no YAML: ${(error as Error).message}`, { cause: error })
  }
}
