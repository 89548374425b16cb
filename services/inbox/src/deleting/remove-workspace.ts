import { idsBelow } from '@family-inbox/service-kit/mongo/rows'
import { proposalLimitId } from '@family-inbox/workspace-kit/proposals'
import { consumeRemovals } from '@family-inbox/workspace-kit/removals'
import { deleteOwned } from '@family-inbox/workspace-kit/row-schema'
import type { Context } from '../context.ts'
import { removeFile } from '../replying/reply-files.ts'

export function startRemovalConsumer(ctx: Context): AsyncDisposable {
  return consumeRemovals({
    connection: ctx.mailQueue.connection,
    natsReplicas: ctx.config.natsReplicas,
    identity: ctx.identity,
    service: 'inbox',
    logger: ctx.logger,
    handlers: { workspace: (id) => removeWorkspace(ctx, id), person: (id) => removePerson(ctx, id) },
  })
}

/** Deletes a workspace's mail and everything about it. Address rows stay as bare ids, so no address is issued twice. */
export async function removeWorkspace(ctx: Context, workspaceId: string): Promise<void> {
  const removedAt = new Date()
  await ctx.removedWorkspaces.updateOne({ _id: workspaceId }, { $setOnInsert: { removedAt } }, { upsert: true })
  await ctx.inboxAddresses.updateMany({ workspaceId, removedAt: null }, { $set: { removedAt } })
  await deleteOwned(ctx.connection, 'workspaceId', [workspaceId])
  await ctx.mailLimits.deleteMany({ _id: { $in: limitIds(workspaceId) } })
  await ctx.mailLimits.deleteMany({ _id: idsBelow(`recipient/${workspaceId}`) })
}

function limitIds(workspaceId: string): string[] {
  return [`workspace/${workspaceId}`, `unverified/${workspaceId}`, proposalLimitId(workspaceId)]
}

/**
 * Deletes a person's drafts with their files, proposals of their assistants, read marks, notices and notification settings, and
 * opens what they took care of. Replies, notes and reminders belong to the family and stay.
 */
export async function removePerson(ctx: Context, personId: string): Promise<void> {
  await deleteOwned(ctx.connection, 'personId', [personId])
  await ctx.conversationStatuses.updateMany(
    { assigneeId: personId },
    { $set: { status: 'open' }, $unset: { assigneeId: 1, assigneeName: 1, handedOver: 1 }, $inc: { version: 1 } },
  )
  await ctx.mailLimits.deleteMany({ _id: { $in: [`person/${personId}`, `files/${personId}`] } })
  for (const { _id } of await ctx.replyFiles.find({ personId, replyId: null }, { _id: 1 }).lean())
    await removeFile(ctx, _id)
}
