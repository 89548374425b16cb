/** SPEC "Scopes". `audit:read` is internal and never offered. */
export const SCOPES: ReadonlySet<string> = new Set(['profile:read', 'care_circle:read', 'care_circle:write'])

/** They grant nothing, but clients expect them. */
export const PROTOCOL_SCOPES: ReadonlySet<string> = new Set(['openid', 'offline_access'])

export function requestedScopes(scope: unknown): string[] {
  const words = typeof scope === 'string' ? scope.split(' ') : []
  return [...SCOPES].filter((known) => words.includes(known))
}
