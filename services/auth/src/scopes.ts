/** SPEC "Scopes". `audit:read` is internal and never offered. */
export const SCOPES: ReadonlySet<string> = new Set(['profile:read', 'care_circle:read', 'care_circle:write'])

/** Scopes that grant nothing but that clients expect to exist. */
export const PROTOCOL_SCOPES: ReadonlySet<string> = new Set(['openid', 'offline_access'])

/** Returns the requested scopes that are ours, in a fixed order. */
export function requestedScopes(scope: unknown): string[] {
  const words = typeof scope === 'string' ? scope.split(' ') : []
  return [...SCOPES].filter((known) => words.includes(known))
}
