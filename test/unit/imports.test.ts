import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import t from '../tap.ts'

const ROOT = join(import.meta.dirname, '../..')
const SRC = join(ROOT, 'src')

/** Each room may import from itself and from those before it. (design §9) */
const ORDER = ['base', 'db', 'domain', 'planner', 'executors', 'events', 'scheduler', 'a2a', 'http', 'app', 'main']

interface SourceFile {
  /** Relative to src/. */
  name: string
  text: string
  /** Relative to src/, of what it imports from there. */
  imports: string[]
}

function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => !path.includes('/generated/'))
    .toSorted()
}

/** What `import … from`, `export … from` and `import()` name, types included. */
function specifiersOf(text: string): string[] {
  const pattern = /(?:^\s*(?:import|export)\b[^'"`;]*?\bfrom\s*|^\s*import\s*|\bimport\(\s*)'([^']+)'/gm
  return [...text.matchAll(pattern)].flatMap((match) => match[1] ?? [])
}

function read(path: string): SourceFile {
  const text = readFileSync(path, 'utf8')
  const local = specifiersOf(text).filter((specifier) => specifier.startsWith('.'))
  const imports = local.map((specifier) => relative(SRC, resolve(dirname(path), specifier)))
  return { name: relative(SRC, path), text, imports }
}

/** The room of a file: its folder. Of those right in src/ all but main.ts are parts of app. */
function roomOf(name: string): string {
  if (name.includes('/')) return name.split('/')[0] ?? ''
  return name === 'main.ts' ? 'main' : 'app'
}

function firstCycle(files: SourceFile[]): string[] | undefined {
  const imports = new Map(files.map((file) => [file.name, file.imports]))
  const done = new Set<string>()
  const visit = (name: string, trail: string[]): string[] | undefined => {
    if (trail.includes(name)) return [...trail.slice(trail.indexOf(name)), name]
    if (done.has(name)) return undefined
    for (const next of imports.get(name) ?? []) {
      const cycle = visit(next, [...trail, name])
      if (cycle) return cycle
    }
    done.add(name)
    return undefined
  }
  for (const file of files) {
    const cycle = visit(file.name, [])
    if (cycle) return cycle
  }
  return undefined
}

const sources = filesIn(SRC).map(read)

t.test('the reader of imports sees every form', async (t) => {
  const text = `import a from './a.ts'\nimport './b.ts'\nimport type { C } from './c.ts'\nexport * from './d.ts'
import {\n  e,\n  f,\n} from './e.ts'\nconst g = await import('./g.ts')\nexport const h = 'from'\n`
  t.same(specifiersOf(text), ['./a.ts', './b.ts', './c.ts', './d.ts', './e.ts', './g.ts'])
  t.ok(sources.length > 5, 'and finds the sources')
})

t.test('imports go one way only', async (t) => {
  const breaches = sources.flatMap((file) => {
    const rank = ORDER.indexOf(roomOf(file.name))
    if (rank === -1) return [`${file.name} is in no room`]
    const upward = file.imports.filter((name) => ORDER.indexOf(roomOf(name)) > rank)
    return upward.map((name) => `${file.name} imports ${name}`)
  })
  t.same(breaches, [], `the order is ${ORDER.toReversed().join(' → ')}`)
  t.same(
    sources.flatMap((file) =>
      file.imports.filter((name) => name.startsWith('..')).map((name) => `${file.name}: ${name}`),
    ),
    [],
    'and none leaves src/',
  )
})

/** The packages that are there at run time: imports of types are stripped. */
function packagesOf(text: string): string[] {
  const running = text.replaceAll(/^\s*(?:import|export) type\b[^'"`;]*?from\s*'[^']+'/gm, '')
  const outside = specifiersOf(running).filter((specifier) => !/^(?:\.|node:)/.test(specifier))
  return outside.map((specifier) => specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/'))
}

t.test('what the server imports is installed with it', async (t) => {
  const { dependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
  for (const file of sources) {
    for (const name of packagesOf(file.text)) t.ok(name in dependencies, `${name}, which ${file.name} imports`)
  }
})

t.test('no file imports itself by a detour', async (t) => {
  t.equal(firstCycle(sources)?.join(' → '), undefined)
})

t.test('only base/config reads the environment; main may hand it on', async (t) => {
  const allowed = (name: string) => name.startsWith('base/config') || name === 'main.ts'
  const readers = sources.filter((file) => /process\.env\b/.test(file.text) && !allowed(file.name))
  t.same(
    readers.map((file) => file.name),
    [],
  )
})

t.test('files are short and their names say what is in them', async (t) => {
  const paths = ['src', 'test', 'examples', 'scripts', 'bench'].flatMap((folder) => filesIn(join(ROOT, folder)))
  const long = paths.filter((path) => readFileSync(path, 'utf8').split('\n').length > 301)
  const vague = paths.filter((path) => /(^|\/)(utils?|common|helpers?|types|misc)(\.ts|\/)/.test(relative(ROOT, path)))
  t.same(
    long.map((path) => relative(ROOT, path)),
    [],
    'none is over 300 lines',
  )
  t.same(
    vague.map((path) => relative(ROOT, path)),
    [],
    'none is called utils, common, helpers or types',
  )
})
