import { Role } from '@family-inbox/proto/carecircle/v1/care_circle'

/** A role, in words for the person who has it. */
const WORDS: Record<Role, { name: string; may: string }> = {
  [Role.OWNER]: { name: 'owner', may: 'You can read, reply, and invite others.' },
  [Role.COORDINATOR]: { name: 'coordinator', may: 'You can read, reply, and invite others.' },
  [Role.VIEWER]: { name: 'viewer', may: 'You can read everything.' },
  [Role.UNSPECIFIED]: { name: 'member', may: '' },
  [Role.UNRECOGNIZED]: { name: 'member', may: '' },
}

export function roleWords(role: Role): { name: string; may: string } {
  return WORDS[role]
}
