import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type CryptoKey, exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose'

/** An OpenID provider on loopback, as far as a resource server sees it: a discovery document, keys, and tokens. */
export class Provider {
  issuer = ''
  /** What it answers instead of keys, while it is ill. */
  ill: 'down' | 'silent' | undefined
  /** How often its keys were read. */
  reads = 0
  readonly #keys = new Map<string, { secret: CryptoKey; shown: JWK }>()

  static async start(t: { teardown(end: () => unknown): void }): Promise<Provider> {
    const provider = new Provider()
    await provider.newKey('k1')
    const server = createServer((request, response) => {
      if (request.url === '/jwks') {
        provider.reads += 1
        if (provider.ill === 'silent') return
        if (provider.ill === 'down') return response.writeHead(500).end()
      }
      response.setHeader('content-type', 'application/json')
      response.end(JSON.stringify(request.url === '/jwks' ? provider.#shown() : provider.#document()))
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    t.teardown(() => {
      server.closeAllConnections()
      server.close()
    })
    provider.issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    return provider
  }

  async newKey(kid: string): Promise<void> {
    const { privateKey, publicKey } = await generateKeyPair('ES256', { extractable: true })
    this.#keys.set(kid, {
      secret: privateKey,
      shown: { ...(await exportJWK(publicKey)), kid, alg: 'ES256', use: 'sig' },
    })
  }

  /** A token for Trellis that is good for an hour, with these claims over the usual ones. */
  async token(claims: Record<string, unknown> = {}, kid = 'k1'): Promise<string> {
    const now = Math.floor(Date.now() / 1_000)
    const usual = { iss: this.issuer, aud: 'trellis', sub: 'mary', scope: 'read write', iat: now, exp: now + 3_600 }
    const key = this.#keys.get(kid)
    if (key === undefined) throw new Error(`no key ${kid}`)
    return new SignJWT({ ...usual, ...claims }).setProtectedHeader({ alg: 'ES256', kid }).sign(key.secret)
  }

  #shown(): object {
    return { keys: [...this.#keys.values()].map(({ shown }) => shown) }
  }

  #document(): object {
    return { issuer: this.issuer, jwks_uri: `${this.issuer}/jwks` }
  }
}

export function bearer(token: string): Record<string, string> {
  return { Authorization: `Bearer ${token}` }
}
