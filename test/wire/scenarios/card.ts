import type { Test } from 'tap'
import { OPT, type Server } from '../rpc.ts'

/** The agent card, for 1.0 and older clients. (A2A 1.0 §8, 0.3 §5) */
export async function card(t: Test, server: Server): Promise<void> {
  const response = await fetch(`${server.baseUrl}/.well-known/agent-card.json`)
  t.equal(response.status, 200)
  const body = (await response.json()) as Record<string, unknown>
  t.match(body, {
    name: String,
    description: String,
    version: String,
    supportedInterfaces: [
      { url: /\/$/, protocolBinding: 'JSONRPC', protocolVersion: '1.0' },
      { url: /[^/]$/, protocolBinding: 'HTTP+JSON', protocolVersion: '1.0' },
      { url: /^ws.*\/ws$/, protocolBinding: /^urn:trellis:.*websocket/ },
      { url: /\/$/, protocolBinding: 'JSONRPC', protocolVersion: '0.3' },
      { url: /[^/]$/, protocolBinding: 'HTTP+JSON', protocolVersion: '0.3' },
    ],
    capabilities: { streaming: true, extensions: [{ uri: OPT, params: { maxPlansPerObjective: Number } }] },
    skills: [{ id: String, name: String, description: String, tags: Array }],
    defaultInputModes: Array,
    protocolVersion: /^0\.3/,
    url: /\/$/,
    preferredTransport: 'JSONRPC',
  })

  const etag = response.headers.get('etag') ?? ''
  t.match(response.headers.get('cache-control'), /max-age/)
  const again = await fetch(`${server.baseUrl}/.well-known/agent.json`, { headers: { 'if-none-match': etag } })
  t.equal(again.status, 304)
  t.equal(await again.text(), '')
  const older = await fetch(`${server.baseUrl}/.well-known/agent.json`)
  t.strictSame(await older.json(), body)
}
