import type { Config } from './base/config.ts'
import { isLoopback } from './base/config-auth.ts'

/** What a start prints: where the card is, and a line that works as printed. */
export function greeting(url: string, config: Config, grpc?: string): string {
  const request = JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'message/send',
    params: {
      message: {
        role: 'user',
        messageId: 'hello-1',
        parts: [{ kind: 'text', text: 'Write a haiku, then translate it into French' }],
      },
    },
  })
  const database = config.data.databaseUrl === undefined ? `embedded Postgres in ${config.data.dir}` : 'Postgres'
  return [
    `Trellis serves on ${url} (${database}; agents: ${config.agents.map(({ name }) => name).join(', ')})`,
    `Agent card: ${url}/.well-known/agent-card.json`,
    ...(grpc === undefined ? [] : [`gRPC: ${grpc}`]),
    'Try:',
    `  curl -s ${url}/ -H 'Content-Type: application/json'${shown(config)} -d '${request}'`,
    ...warnings(config),
    '',
  ].join('\n')
}

/** What a caller has to show, where someone asks. */
function shown({ auth }: Config): string {
  if (auth.mode === 'none') return ''
  return auth.mode === 'oidc' ? ' -H "Authorization: Bearer $TOKEN"' : ' -H "X-API-Key: $TRELLIS_KEY"'
}

/** What an operator would rather know now. */
function warnings({ auth, server }: Config): string[] {
  if (auth.mode !== 'none') return []
  const open = `Nobody is asked who calls, and others than this machine may reach ${server.host} (auth.allowAnonymous).`
  const unused = 'auth.keys or auth.oidc are set, and auth.mode is none: nobody is asked for them.'
  return [
    ...(isLoopback(server.host) ? [] : [`Note: ${open}`]),
    ...(auth.keys.length > 0 || auth.oidc !== undefined ? [`Note: ${unused}`] : []),
  ]
}
