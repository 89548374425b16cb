import { Role } from '@family-inbox/proto/carecircle/v1/care_circle'

/** A role, in words for the person who has it, and in words about somebody else. */
export type RoleWords = { name: string; may: string; can: string }

const WORDS: Record<Role, RoleWords> = {
  [Role.OWNER]: {
    name: 'owner',
    may: 'You can read, reply, and invite others.',
    can: 'can read, reply, and decide who is here',
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

/** The role a form names; unspecified, which every service refuses, for anything else. */
export function readRole(value: string): Role {
  const role = [Role.OWNER, Role.COORDINATOR, Role.VIEWER].find((one) => roleWords(one).name === value)
  return role ?? Role.UNSPECIFIED
}
