import { OFFERED_SCOPES } from '@family-inbox/workspace-kit/tool-catalogue'

export const SCOPES: ReadonlySet<string> = new Set(OFFERED_SCOPES)

/** They grant nothing, but clients expect them. */
export const PROTOCOL_SCOPES: ReadonlySet<string> = new Set(['openid', 'offline_access'])

export function requestedScopes(scope: unknown): string[] {
  const words = typeof scope === 'string' ? scope.split(' ') : []
  return [...SCOPES].filter((known) => words.includes(known))
}
