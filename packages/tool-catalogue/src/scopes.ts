/** What a credential may be allowed to do, and the words for it (SPEC "Scopes"). `audit:read` is internal and never offered. */
export type Scope = 'profile:read' | 'care_circle:read' | 'care_circle:write'

export const OFFERED_SCOPES: readonly Scope[] = ['profile:read', 'care_circle:read', 'care_circle:write']
