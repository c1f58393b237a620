import type { AuthConfig } from '../base/config.ts'
import type { CardSecurity } from './card.ts'

/** The header that an API key comes in. */
export const API_KEY_HEADER = 'X-API-Key'

/**
 * What the card says that callers have to show: any one of its requirements. Undefined where nobody is asked. (A2A 1.0
 * §4.5, §7)
 */
export function securityOf({ mode, oidc }: AuthConfig): CardSecurity | undefined {
  const securitySchemes: Record<string, object> = {}
  if (mode === 'apiKeys' || mode === 'both') {
    const description = 'A key that the operator of this server has made.'
    securitySchemes['apiKey'] = { apiKeySecurityScheme: { description, location: 'header', name: API_KEY_HEADER } }
  }
  if ((mode === 'oidc' || mode === 'both') && oidc !== undefined) {
    securitySchemes['oidc'] = oidc.jwksUri === undefined ? discovered(oidc.issuer) : bearer()
  }
  const names = Object.keys(securitySchemes)
  if (names.length === 0) return undefined
  return { securitySchemes, securityRequirements: names.map((name) => ({ schemes: { [name]: { list: [] } } })) }
}

/** Where the issuer's discovery document is. (OpenID Connect Discovery 1.0 §4) */
export function discoveryUrl(issuer: string): string {
  return `${issuer.replace(/\/+$/, '')}/.well-known/openid-configuration`
}

function discovered(issuer: string): object {
  return { openIdConnectSecurityScheme: { openIdConnectUrl: discoveryUrl(issuer) } }
}

/** An issuer whose keys are named by hand may have no discovery document. */
function bearer(): object {
  return { httpAuthSecurityScheme: { scheme: 'Bearer', bearerFormat: 'JWT' } }
}
