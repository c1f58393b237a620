import type { AgentCard } from '@a2a-js/sdk'

type Json = Record<string, unknown>

/**
 * A 1.0 card with the members that a 0.3 client looks for beside 1.0's own. 1.0's readers skip what they do not know, and
 * the two versions agree on the rest. (0.3 §5.5)
 */
export function withLegacyMembers(json: Json, card: AgentCard): Json {
  const legacy = card.supportedInterfaces.filter(({ protocolVersion }) => protocolVersion.startsWith('0.3'))
  const [preferred] = legacy
  const written: Json = {
    ...json,
    protocolVersion: '0.3.0',
    url: preferred?.url ?? '',
    preferredTransport: preferred?.protocolBinding ?? 'JSONRPC',
    additionalInterfaces: legacy.map(({ url, protocolBinding }) => ({ url, transport: protocolBinding })),
  }
  if (card.capabilities?.extendedAgentCard) written['supportsAuthenticatedExtendedCard'] = true
  if (json['securitySchemes']) written['securitySchemes'] = schemes(json['securitySchemes'] as Json)
  if (json['securityRequirements']) written['security'] = requirements(json['securityRequirements'] as Json[])
  return written
}

/** 1.0 names a scheme's kind by a member, 0.3 by `type`: a scheme can say both. (A2A 1.0 §4.5, 0.3 §5.5.3) */
function schemes(given: Json): Json {
  return Object.fromEntries(Object.entries(given).map(([name, scheme]) => [name, withType(scheme as Json)]))
}

const TYPES: Readonly<Record<string, string>> = {
  apiKeySecurityScheme: 'apiKey',
  httpAuthSecurityScheme: 'http',
  oauth2SecurityScheme: 'oauth2',
  openIdConnectSecurityScheme: 'openIdConnect',
  mtlsSecurityScheme: 'mutualTLS',
}

function withType(scheme: Json): Json {
  for (const [member, type] of Object.entries(TYPES)) {
    const content = scheme[member]
    if (content === undefined) continue
    const { location, ...rest } = content as Json
    return { type, ...rest, ...(location !== undefined && { in: location }), ...scheme }
  }
  return scheme
}

function requirements(given: readonly Json[]): Json[] {
  return given.map(({ schemes = {} }) =>
    Object.fromEntries(
      Object.entries(schemes as Record<string, { list?: string[] }>).map(([name, { list = [] }]) => [name, list]),
    ),
  )
}
