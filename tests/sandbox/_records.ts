import type { Sandboxes } from './_sandbox.ts'

/** Everything stored for a workspace, in all three services. */
export async function recordsOf(s: Sandboxes, workspaceId: string) {
  const count = (service: 'care-circle' | 'inbox', collection: string, field = 'workspaceId') =>
    s.rows(service, collection).countDocuments({ [field]: workspaceId })
  return {
    workspaces: await count('care-circle', 'workspaces', '_id'),
    members: await count('care-circle', 'members'),
    lovedOnes: await count('care-circle', 'loved_ones'),
    messages: await count('inbox', 'messages'),
    originals: await s.rows('inbox', 'originals').countDocuments({ _id: new RegExp(`^${workspaceId}/`) }),
    addresses: await s.rows('inbox', 'inbox_addresses').countDocuments({ workspaceId, removedAt: { $exists: false } }),
    sandboxes: await s.rows('sandbox', 'sandboxes').countDocuments({ _id: workspaceId }),
  }
}

export const NOTHING = {
  workspaces: 0,
  members: 0,
  lovedOnes: 0,
  messages: 0,
  originals: 0,
  addresses: 0,
  sandboxes: 0,
}
