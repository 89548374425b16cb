import { Role } from '@family-inbox/proto/carecircle/v1/care_circle'

/** `may` addresses the person; `can` follows their name. */
type RoleWords = { name: string; may: string; can: string }

const WORDS: Record<Role, RoleWords> = {
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
  return WORDS[role]
}

/** Reads a role from a form; UNSPECIFIED, which services refuse, for anything else. */
export function readRole(value: string): Role {
  const role = [Role.OWNER, Role.COORDINATOR, Role.VIEWER].find((one) => roleWords(one).name === value)
  return role ?? Role.UNSPECIFIED
}
