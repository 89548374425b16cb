import { Role } from '@family-inbox/proto/carecircle/v1/care_circle'
import { type Member, memberId } from '../models/member.ts'

/** Nobody's id: those of people begin with `per_`. */
const PERSON_ID = 'synthetic-owner'

export function syntheticOwnerId(workspaceId: string): string {
  return memberId(workspaceId, PERSON_ID)
}

/** The owner of a workspace that nobody has claimed. It has no email and no credential: nobody can act as it. */
export function syntheticOwner(workspaceId: string, joinedAt: Date): Member {
  return {
    _id: syntheticOwnerId(workspaceId),
    workspaceId,
    personId: PERSON_ID,
    name: 'Nobody yet',
    email: '',
    role: Role.OWNER,
    relationship: '',
    joinedAt,
  }
}
