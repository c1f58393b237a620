import type { Dirent } from 'node:fs'
import { readdir, readFile, stat } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'

export interface Document {
  /** Relative to the folder, with forward slashes. */
  file: string
  text: string
}

/** Longer files are logs or generated, not documents. */
const MAX_BYTES = 1024 * 1024
const MAX_FILES = 20_000
const AT_ONCE = 32

/** Reads every .md and .txt file below the folder, hidden ones apart. What cannot be read is left out. */
export async function* readDocuments(folder: string): AsyncGenerator<Document> {
  const paths = (await listFiles(folder)).slice(0, MAX_FILES)
  for (let start = 0; start < paths.length; start += AT_ONCE) {
    const batch = paths.slice(start, start + AT_ONCE)
    for (const document of await Promise.all(batch.map((path) => read(folder, path)))) if (document) yield document
  }
}

async function listFiles(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  return entries
    .filter(isDocument)
    .map((entry) => join(entry.parentPath, entry.name))
    .toSorted()
}

function isDocument(entry: Dirent): boolean {
  return entry.isFile() && /\.(md|markdown|txt)$/i.test(entry.name) && !/(^|[/\\])\./.test(entry.name)
}

async function read(folder: string, path: string): Promise<Document | undefined> {
  try {
    if ((await stat(path)).size > MAX_BYTES) return undefined
    return { file: relative(folder, path).split(sep).join('/'), text: await readFile(path, 'utf8') }
  } catch {
    return undefined
  }
}
