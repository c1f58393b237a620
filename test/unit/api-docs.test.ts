import { readFileSync } from 'node:fs'
import { apiMarkdown } from '../../src/a2a/describe/markdown.ts'
import { openApi } from '../../src/a2a/describe/openapi.ts'
import { openRpc } from '../../src/a2a/describe/openrpc.ts'
import { restPaths } from '../../src/a2a/operation.ts'
import { OPERATIONS } from '../../src/a2a/operations.ts'
import t from '../tap.ts'

type Json = Record<string, Record<string, unknown>>

t.test('docs/api.md says what the operations table does', async (t) => {
  const written = readFileSync(new URL('../../docs/api.md', import.meta.url), 'utf8')
  t.equal(written, apiMarkdown(OPERATIONS), 'else run npm run docs:api')
})

t.test('the documents name every method and every path, and nothing that is not there', async (t) => {
  const rpc = openRpc(OPERATIONS, '1') as unknown as { methods: { name: string }[] }
  t.strictSame(
    rpc.methods.map(({ name }) => name),
    OPERATIONS.map(({ method }) => method),
  )
  const { paths } = openApi(OPERATIONS, '1') as unknown as { paths: Json }
  for (const operation of OPERATIONS) {
    for (const { verb, path } of restPaths(operation)) {
      const at = operation.version === '0.3' ? `/v1${path}` : path
      t.ok(paths[at]?.[verb.toLowerCase()] ?? paths['/v1/card'], `${verb} ${at}`)
    }
  }
  const ids = Object.values(paths).flatMap((verbs) => Object.values(verbs).map((one) => (one as Json)['operationId']))
  t.equal(new Set(ids).size, ids.length, 'each has an id of its own')
})

t.test('what the documents refer to is in them', async (t) => {
  for (const document of [openRpc(OPERATIONS, '1'), openApi(OPERATIONS, '1')]) {
    const refs = [...JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g)].map(([, path]) => path as string)
    t.ok(refs.length > 50)
    for (const path of new Set(refs)) {
      const found = path.split('/').reduce<unknown>((at, step) => (at as Json)?.[step], document)
      t.ok(found, path)
    }
  }
})

t.test('OpenRPC: params that must be there come first, and a method has no code twice', async (t) => {
  const { methods, components } = openRpc(OPERATIONS, '1') as unknown as {
    methods: { name: string; params: { required: boolean }[]; errors: { $ref: string }[] }[]
    components: { errors: Json }
  }
  for (const { name, params, errors } of methods) {
    const optional = params.findIndex(({ required }) => !required)
    t.notOk(optional >= 0 && params.slice(optional).some(({ required }) => required), name)
    const codes = errors.map(({ $ref }) => components.errors[$ref.slice($ref.lastIndexOf('/') + 1)]?.['code'])
    t.equal(new Set(codes).size, codes.length, name)
  }
})

t.test('OpenAPI: a query has nothing that the path says under another name, and no objects', async (t) => {
  interface Described {
    operationId: string
    parameters: { name: string; in: string; required: boolean; schema: { type?: string } }[]
    responses: { default: { content: Record<string, { schema: { $ref: string } }> } }
  }
  const { paths } = openApi(OPERATIONS, '1') as unknown as { paths: Record<string, Record<string, Described>> }
  for (const [path, verbs] of Object.entries(paths)) {
    for (const { operationId, parameters, responses } of Object.values(verbs)) {
      const asked = parameters.filter((param) => param.in === 'query')
      t.strictSame(
        asked.filter(({ required, schema }) => required || schema.type === 'object').map(({ name }) => name),
        [],
        operationId,
      )
      const error = responses.default.content['application/json']?.schema.$ref
      t.equal(error, `#/components/schemas/${path.startsWith('/v1/') ? 'Error' : 'Status'}`, operationId)
    }
  }
  const configs = paths['/v1/tasks/{taskId}/pushNotificationConfigs/{id}']
  t.strictSame(
    configs?.['get']?.parameters.map(({ name }) => name),
    ['taskId', 'id'],
  )
})
