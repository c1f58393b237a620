import { ERROR_CODES } from '../errors.ts'
import { type Operation, restPaths } from '../operation.ts'
import { paramsOf, typeText } from './params.ts'
import { textOf } from './texts.ts'

const HEAD = `# The API

Made from the operations table by \`npm run docs:api\`; a test fails when it is out of date. Every method is served by
JSON-RPC (\`POST /\`, \`POST /a2a\`), by WebSocket (\`/ws\`), and where a path stands by HTTP+JSON: at the root for 1.0, and under \`/v1\`
for 0.3. \`rpc.discover\` and \`GET /openapi.json\` say the same to programs.

Fields may be spelled in camelCase or snake_case. The version is what \`A2A-Version\` says, over HTTP+JSON also what the path says; without
either it is 0.3.
`

/** The methods with their params, for people to read. */
export function apiMarkdown(operations: readonly Operation[]): string {
  const sections = grouped(operations).map(section)
  return [HEAD, ...sections, errorTable()].join('\n')
}

/** The names of one operation, in each version, stand together. */
function grouped(operations: readonly Operation[]): Operation[][] {
  return [...Map.groupBy(operations, ({ method }) => textOf(method)).values()]
}

function section(same: Operation[]): string {
  const [first] = same as [Operation]
  const { summary, result } = textOf(first.method)
  const names = same.map(({ method, version }) => `\`${method}\`${version ? ` (${version})` : ''}`).join(', ')
  const paths = [...new Set(same.flatMap(restPaths).map(({ verb, path }) => `\`${verb} ${path}\``))]
  const lines = [`## ${names}`, '', summary, '']
  if (paths.length > 0) lines.push(`HTTP+JSON: ${paths.join(', ')}. `)
  lines.push(`Scope: ${scopeText(first)}. ${first.streams ? 'Streams' : 'Answers'} ${resultText(result)}.`, '')
  const params = paramsOf(first.schema)
  if (params.length === 0) return lines.join('\n')
  lines.push('| param | | |', '|---|---|---|')
  for (const { name, required, schema } of params) {
    lines.push(`| \`${name}\` | ${required ? 'required' : ''} | ${typeText(schema)} |`)
  }
  return [...lines, ''].join('\n')
}

function scopeText({ scope }: Operation): string {
  return [scope]
    .flat()
    .map((one) => `\`${one}\``)
    .join(' or ')
}

function resultText(result: string): string {
  return result === 'Object' ? 'an object' : `\`${result}\``
}

function errorTable(): string {
  const rows = Object.values(ERROR_CODES).map(
    ({ code, http, grpc, reason }) => `| ${reason} | ${code} | ${http} | ${grpc} |`,
  )
  return ['## Errors', '', '| reason | JSON-RPC | HTTP | google.rpc |', '|---|--:|--:|---|', ...rows, ''].join('\n')
}
