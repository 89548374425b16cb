import { Role } from '@family-inbox/proto/carecircle/v1/care_circle'
import type { CataloguedTool } from '@family-inbox/workspace-kit/tool-catalogue'

/** `may` addresses the person; `can` follows their name. */
type RoleWords = { name: string; may: string; can: string }

const ROLES: Record<Role, RoleWords> = {
  [Role.OWNER]: {
    name: 'owner',
    may: 'You can read, reply, and invite others.',
    can: 'can read, reply, and manage people',
  },
  [Role.COORDINATOR]: {
    name: 'coordinator',
    may: 'You can read, reply, and invite others.',
    can: 'can read, reply, and invite others',
  },
  [Role.VIEWER]: { name: 'viewer', may: 'You can read everything.', can: 'can read' },
  [Role.UNSPECIFIED]: { name: 'member', may: '', can: '' },
  [Role.UNRECOGNIZED]: { name: 'member', may: '', can: '' },
}

export function roleWords(role: Role): RoleWords {
  return ROLES[role]
}

/** Reads a role from a form; UNSPECIFIED, which services refuse, for anything else. */
export function readRole(value: string): Role {
  const role = [Role.OWNER, Role.COORDINATOR, Role.VIEWER].find((candidate) => roleWords(candidate).name === value)
  return role ?? Role.UNSPECIFIED
}

type Scope = NonNullable<CataloguedTool['scope']>

/** The text completes "It can read …" or "It can …". */
export type ScopeWords = { scope: string; kind: 'read' | 'write'; text: string }

const SCOPES: Record<Scope, Omit<ScopeWords, 'scope'>> = {
  'profile:read': { kind: 'read', text: 'your name, your email address and your family’s name' },
  'care_circle:read': {
    kind: 'read',
    text: 'your loved ones’ mail, the care timeline, and the names and email addresses in your care circle',
  },
  'care_circle:write': {
    kind: 'write',
    text: 'invite people, create codes for care agencies, and send replies in your name',
  },
}

/** What a tool key without scopes of its own has. */
export const ALL_SCOPES: readonly string[] = Object.keys(SCOPES)

/** Describes a scope (SPEC "Scopes"). An unknown scope is shown as it is, never hidden. */
export function scopeWords(scope: string): ScopeWords {
  const words = Object.hasOwn(SCOPES, scope) ? SCOPES[scope as Scope] : undefined
  return { scope, ...(words ?? { kind: 'read', text: `“${scope}”` }) }
}
