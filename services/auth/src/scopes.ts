/** The scopes a credential may hold (SPEC "Scopes"). `audit:read` is internal and never offered. */
export const SCOPES: ReadonlySet<string> = new Set(['profile:read', 'care_circle:read', 'care_circle:write'])

/** Scopes of the protocol itself: they open nothing, but clients ask for them and expect them to be known. */
export const PROTOCOL_SCOPES: ReadonlySet<string> = new Set(['openid', 'offline_access'])

/** Those of our scopes a request asks for, in a fixed order. */
export function requestedScopes(scope: unknown): string[] {
  const words = typeof scope === 'string' ? scope.split(' ') : []
  return [...SCOPES].filter((known) => words.includes(known))
}
