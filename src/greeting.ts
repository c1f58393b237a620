import type { Config } from './base/config.ts'

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
    `  curl -s ${url}/ -H 'Content-Type: application/json' -d '${request}'`,
    '',
  ].join('\n')
}
