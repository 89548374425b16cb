import { Role } from '@family-inbox/proto/carecircle/v1/care_circle'
import type { CareCircleClient } from '@family-inbox/workspace-kit/membership'

/** The role of the member with one of these addresses, in lower case; undefined if they are no member's. */
export type FindRole = (workspaceId: string, ...emails: string[]) => Promise<Role | undefined>

export function createFindRole(careCircle: CareCircleClient): FindRole {
  return async (workspaceId, ...emails) => {
    const asked = { workspaceId, personIds: [], emails, owner: false }
    const [member] = (await careCircle.listMailRecipients(asked)).recipients
    return member && (member.role ?? Role.UNSPECIFIED)
  }
}
