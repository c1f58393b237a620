import type { Operation } from '../operation.ts'
import { type RestRoute, restNames, restRoutes } from '../rest.ts'
import { paramsOf, plain } from './params.ts'
import { SCHEMAS } from './schemas.ts'
import { textOf } from './texts.ts'

const STATUS = {
  type: 'object',
  description: 'google.rpc.Status',
  properties: {
    error: {
      type: 'object',
      properties: {
        code: { type: 'integer' },
        status: { type: 'string' },
        message: { type: 'string' },
        details: { type: 'array', items: { type: 'object' } },
      },
    },
  },
}

const ERROR = {
  type: 'object',
  description: 'The error of JSON-RPC, which 0.3 has over HTTP+JSON, too.',
  properties: { code: { type: 'integer' }, message: { type: 'string' }, data: {} },
  required: ['code', 'message'],
}

/** Every route of the HTTP+JSON binding, as an OpenAPI 3.1 document. A tenant may stand before 1.0's paths. */
export function openApi(operations: readonly Operation[], version: string): object {
  const paths: Record<string, Record<string, object>> = {}
  for (const route of restRoutes(operations)) {
    if (route.path.startsWith('/{tenant}')) continue
    const path = paths[route.path] ?? {}
    paths[route.path] = path
    path[route.verb.toLowerCase()] = operationOf(route)
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Trellis', version, description: 'A2A, and the Objective → Plan → Task extension, over HTTP+JSON.' },
    paths,
    components: { schemas: { ...(plain(SCHEMAS) as object), Status: STATUS, Error: ERROR } },
  }
}

function operationOf({ operation, verb, path, version }: RestRoute): object {
  const { summary, result } = textOf(operation.method)
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name as string)
  const names = restNames(operation, version)
  const said = inPath.map((name) => names[name] ?? name)
  const params = paramsOf(operation.schema).filter(({ name }) => !said.includes(name))
  const body = verb === 'POST' || verb === 'PATCH'
  const answer = version === '1.0' || operation.version === undefined ? { $ref: `#/components/schemas/${result}` } : {}
  return {
    operationId: `${operation.method}${verb === 'GET' && operation.streams ? ':get' : ''}@${version}`,
    summary,
    tags: [operation.version === undefined ? 'OPT' : `A2A ${version}`],
    parameters: [
      ...inPath.map((name) => ({ name, in: 'path', required: true, schema: { type: 'string' } })),
      ...(body ? [] : params.filter(isText).map((param) => ({ ...param, in: 'query' }))),
    ],
    ...(body && params.length > 0 && { requestBody: bodyOf(params) }),
    responses: {
      ...success(operation, verb, answer),
      default: {
        description: 'An error.',
        content: json({ $ref: `#/components/schemas/${version === '0.3' ? 'Error' : 'Status'}` }),
      },
    },
  }
}

/** A query has no place for objects. */
function isText({ schema }: { schema: { type?: string } }): boolean {
  return schema.type !== 'object'
}

function success({ streams }: Operation, verb: string, schema: object): object {
  if (verb === 'DELETE') return { 204: { description: 'Done.' } }
  if (streams)
    return { 200: { description: 'Each event is one of these.', content: { 'text/event-stream': { schema } } } }
  return { 200: { description: 'The result.', content: json(schema) } }
}

function bodyOf(params: ReturnType<typeof paramsOf>): object {
  const properties = Object.fromEntries(params.map(({ name, schema }) => [name, schema]))
  const required = params.filter((param) => param.required).map(({ name }) => name)
  return { content: json({ type: 'object', properties, ...(required.length > 0 && { required }) }) }
}

function json(schema: object): object {
  return { 'application/json': { schema }, 'application/a2a+json': { schema } }
}
