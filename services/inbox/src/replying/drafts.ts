import type { ReplyAttachments } from '@family-inbox/proto/inbox/v1/inbox'
import type { Context } from '../context.ts'
import { type Draft, draftId } from '../models/draft.ts'
import { findDraftFiles } from './reply-files.ts'

const WRITING_MS = 10_000

/** Keeps what a member has written to a message. The last write wins. */
export async function keepDraft(ctx: Context, draft: Omit<Draft, '_id' | 'changedAt'>): Promise<void> {
  const _id = draftId(draft.personId, draft.messageRowId)
  await ctx.drafts.updateOne({ _id }, { $set: { ...draft, changedAt: new Date() } }, { upsert: true })
}

/** The reader's own draft, and who else is writing at this moment. */
export async function readDrafts(
  ctx: Context,
  messageRowId: string,
  personId: string,
): Promise<{ draft: string | undefined; draftAttachments: ReplyAttachments; writerIds: string[] }> {
  const [own, files, others] = await Promise.all([
    ctx.drafts.findById(draftId(personId, messageRowId), { body: 1 }).lean(),
    findDraftFiles(ctx, { messageRowId, personId }),
    ctx.drafts
      .find(
        { messageRowId, personId: { $ne: personId }, changedAt: { $gt: new Date(Date.now() - WRITING_MS) } },
        { personId: 1 },
      )
      .lean(),
  ])
  return { draft: own?.body, draftAttachments: { files }, writerIds: others.map((other) => other.personId) }
}
