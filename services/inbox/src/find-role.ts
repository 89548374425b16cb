import { Role } from '@family-inbox/proto/carecircle/v1/care_circle'
import type { CareCircleClient } from '@family-inbox/workspace-kit/membership'

/** The role of the member with this address, in lower case; undefined if it is no member's. */
export type FindRole = (workspaceId: string, email: string) => Promise<Role | undefined>

export function createFindRole(careCircle: CareCircleClient): FindRole {
  return async (workspaceId, email) => {
    const asked = { workspaceId, personIds: [], emails: [email], owner: false }
    const [member] = (await careCircle.listMailRecipients(asked)).recipients
    return member && (member.role ?? Role.UNSPECIFIED)
  }
}
