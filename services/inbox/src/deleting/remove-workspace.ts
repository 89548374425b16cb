import { deleteRows, idsBelow } from '@family-inbox/service-kit/mongo/rows'
import { proposalAllowanceId } from '@family-inbox/workspace-kit/proposals'
import type { Context } from '../context.ts'
import { removeFile } from '../replying/reply-files.ts'

/** Deletes a workspace's mail and everything about it. Address rows stay as bare ids, so no address is issued twice. */
export async function removeWorkspace(ctx: Context, workspaceId: string): Promise<void> {
  const removedAt = new Date()
  await ctx.removedWorkspaces.updateOne({ _id: workspaceId }, { $setOnInsert: { removedAt } }, { upsert: true })
  await ctx.inboxAddresses.updateMany({ workspaceId, removedAt: null }, { $set: { removedAt } })
  for (const { collection } of workspaceModels(ctx)) await deleteRows(collection, { workspaceId })
  await deleteRows(ctx.originals.collection, { _id: idsBelow(workspaceId) })
  await deleteRows(ctx.replyFiles.collection, { _id: idsBelow(workspaceId) })
  await deleteRows(ctx.replyFilePieces.collection, { _id: idsBelow(workspaceId) })
  await ctx.storageUses.deleteOne({ _id: workspaceId })
  await ctx.stoppedWorkspaces.deleteOne({ _id: workspaceId })
  await ctx.mailAllowances.deleteMany({ _id: { $in: allowanceKeys(workspaceId) } })
  await ctx.mailAllowances.deleteMany({ _id: idsBelow(`recipient/${workspaceId}`) })
}

function allowanceKeys(workspaceId: string): string[] {
  return [`workspace/${workspaceId}`, `unverified/${workspaceId}`, proposalAllowanceId(workspaceId)]
}

function workspaceModels(ctx: Context) {
  const { messages, indexEntries, readMarks, readWatermarks, replies, deliveries, testMails, notificationSettings } =
    ctx
  const { drafts, stoppedRecipients, conversationLocks, replyFooters, replyProposals } = ctx
  const { conversationStatuses, notes, noteAccess, reminders, noticeLists } = ctx
  return [
    messages,
    indexEntries,
    conversationLocks,
    readMarks,
    readWatermarks,
    replies,
    replyFooters,
    replyProposals,
    drafts,
    deliveries,
    testMails,
    notificationSettings,
    stoppedRecipients,
    conversationStatuses,
    notes,
    noteAccess,
    reminders,
    noticeLists,
  ]
}

/**
 * Deletes a person's drafts with their files, proposals of their assistants, read marks, notices and notification settings, and
 * opens what they took care of. Replies, notes and reminders belong to the family and stay.
 */
export async function removePerson(ctx: Context, personId: string): Promise<void> {
  await ctx.notificationSettings.deleteMany({ personId })
  await ctx.noticeLists.deleteMany({ personId })
  await ctx.conversationStatuses.updateMany(
    { assigneeId: personId },
    { $set: { status: 'open' }, $unset: { assigneeId: 1, assigneeName: 1, handedOver: 1 }, $inc: { version: 1 } },
  )
  await ctx.mailAllowances.deleteMany({ _id: { $in: [`person/${personId}`, `files/${personId}`] } })
  await ctx.replyProposals.deleteMany({ personId })
  for (const { _id } of await ctx.replyFiles.find({ personId, replyId: null }, { _id: 1 }).lean())
    await removeFile(ctx, _id)
  await deleteRows(ctx.drafts.collection, { _id: idsBelow(personId) })
  await deleteRows(ctx.readMarks.collection, { _id: idsBelow(personId) })
  await deleteRows(ctx.readWatermarks.collection, { _id: idsBelow(personId) })
}

export async function removeMailOf(ctx: Context, workspaceIds: string[]): Promise<void> {
  if (workspaceIds.length === 0) return
  await ctx.messages.deleteMany({ workspaceId: { $in: workspaceIds } })
  await ctx.indexEntries.deleteMany({ workspaceId: { $in: workspaceIds } })
  await ctx.conversationLocks.deleteMany({ workspaceId: { $in: workspaceIds } })
  await ctx.readMarks.deleteMany({ workspaceId: { $in: workspaceIds } })
  await ctx.readWatermarks.deleteMany({ workspaceId: { $in: workspaceIds } })
  await ctx.drafts.deleteMany({ workspaceId: { $in: workspaceIds } })
  await ctx.replyProposals.deleteMany({ workspaceId: { $in: workspaceIds } })
  await ctx.conversationStatuses.deleteMany({ workspaceId: { $in: workspaceIds } })
  await ctx.notes.deleteMany({ workspaceId: { $in: workspaceIds } })
  await ctx.reminders.deleteMany({ workspaceId: { $in: workspaceIds } })
  await ctx.originals.deleteMany({ $or: workspaceIds.map((id) => ({ _id: idsBelow(id) })) })
}
