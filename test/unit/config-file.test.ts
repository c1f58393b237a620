import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { loadConfig } from '../../src/base/config.ts'
import { ConfigSchema } from '../../src/base/config-schema.ts'
import t from '../tap.ts'

const ROOT = join(import.meta.dirname, '../..')
const FILE = readFileSync(join(ROOT, 'config/trellis.yaml'), 'utf8')
const DOCUMENT = readFileSync(join(ROOT, 'docs/configuration.md'), 'utf8')

/** The file with every setting in force. */
const UNCOMMENTED = FILE.replaceAll(/^##.*\n/gm, '').replaceAll(/^# /gm, '')
const ENV = { DB_PASSWORD: 'x', RESEARCHER_TOKEN: 'y' }

interface Schema {
  properties?: Record<string, Schema>
  items?: Schema
  oneOf?: Schema[]
  default?: unknown
}

/** Every setting's path and default. Keys of agents and skills stand under `agents` and `agents.skills`. */
function settingsOf(schema: Schema, path = ''): [path: string, defaultValue: unknown][] {
  if (schema.items) return settingsOf(schema.items, path)
  if (schema.oneOf) return schema.oneOf.flatMap((variant) => settingsOf(variant, path))
  if (!schema.properties) return [[path, schema.default]]
  return Object.entries(schema.properties).flatMap(([key, member]) =>
    settingsOf(member, path === '' ? key : `${path}.${key}`),
  )
}

function valueAt(tree: unknown, path: string): unknown {
  return path.split('.').reduce<unknown>((node, key) => {
    if (Array.isArray(node)) return node.map((item) => item?.[key]).find((value) => value !== undefined)
    return (node as Record<string, unknown> | undefined)?.[key]
  }, tree)
}

const settings = settingsOf(ConfigSchema as Schema)

t.test('as it is, the file changes nothing', async (t) => {
  const missing = () => {
    throw Object.assign(new Error(), { code: 'ENOENT' })
  }
  t.same(
    loadConfig({}, () => FILE),
    loadConfig({}, missing),
  )
})

t.test('uncommented it is valid, names every setting, and shows each default', async (t) => {
  t.doesNotThrow(() => loadConfig(ENV, () => UNCOMMENTED))
  const tree: unknown = parse(UNCOMMENTED)
  t.ok(settings.length > 50)
  for (const [path, value] of settings) {
    const written = valueAt(tree, path)
    if (value === undefined) t.not(written, undefined, `${path} is in the file`)
    else t.same(written, value, `${path} is in the file with its default`)
  }
})

t.test('the guide names every setting', async (t) => {
  for (const [path] of settings) {
    const name = path.startsWith('agents.') ? (path.split('.').at(-1) ?? '') : path
    t.ok(DOCUMENT.includes(`\`${name}\``), `${name} is in docs/configuration.md`)
  }
})
