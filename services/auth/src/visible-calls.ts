import { type Membership, Role } from '@family-inbox/proto/carecircle/v1/care_circle'

/** The filter for the recorded calls a member may see: those of their own agents, and everyone's for the owner. */
export function visibleCalls({ workspaceId, personId, role }: Membership) {
  return { workspaceId, ...(role !== Role.OWNER && { personId }) }
}
