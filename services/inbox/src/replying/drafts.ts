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
  const justNow = { $gt: new Date(Date.now() - WRITING_MS) }
  const [files, drafts] = await Promise.all([
    findDraftFiles(ctx, { messageRowId, personId }),
    ctx.drafts.find({ messageRowId, $or: [{ personId }, { changedAt: justNow }] }, { personId: 1, body: 1 }).lean(),
  ])
  const own = drafts.find((draft) => draft.personId === personId)
  const writerIds = drafts.filter((draft) => draft !== own).map((draft) => draft.personId)
  return { draft: own?.body, draftAttachments: { files }, writerIds }
}
