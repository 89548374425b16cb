import type { ReplyAttachments } from '@family-inbox/proto/inbox/v1/inbox'
import { invalidArgument } from '@family-inbox/service-kit/rpc/status-error'
import { cleanLine, cleanText } from '@family-inbox/service-kit/text/clean-text'
import type { Context } from '../context.ts'
import { type Draft, draftId, mailDraftId } from '../models/draft.ts'
import { findDraftFiles } from './reply-files.ts'

const WRITING_MS = 10_000
/** A draft may be longer than a reply: nothing that was written is lost. */
const MAX_DRAFT = 25_000
const MAX_LINE = 2000

export type NewDraft = Omit<Draft, '_id' | 'changedAt'>

/** Keeps what a member has written. The last write wins. @returns when */
export async function keepDraft(ctx: Context, draft: NewDraft): Promise<Date> {
  const _id = idOf(draft)
  const sealed = await ctx.seal(ctx.drafts, draft.workspaceId, draft)
  const changedAt = new Date()
  await ctx.drafts.updateOne({ _id }, { $set: { ...sealed, changedAt } }, { upsert: true })
  return changedAt
}

export function idOf({ personId, messageRowId, kind }: Pick<Draft, 'personId' | 'messageRowId' | 'kind'>): string {
  return kind === undefined ? draftId(personId, messageRowId) : mailDraftId(personId, messageRowId, kind)
}

/** The reader's own draft, and who else is writing at this moment. */
export async function readDrafts(
  ctx: Context,
  messageRowId: string,
  personId: string,
): Promise<{
  draft: string | undefined
  draftCc: string | undefined
  draftAttachments: ReplyAttachments
  writerIds: string[]
}> {
  const justNow = { $gt: new Date(Date.now() - WRITING_MS) }
  const [files, drafts] = await Promise.all([
    findDraftFiles(ctx, { messageRowId, personId }),
    ctx.drafts
      .find({ messageRowId, kind: null, $or: [{ personId }, { changedAt: justNow }] }, { personId: 1, body: 1, cc: 1 })
      .lean(),
  ])
  const own = drafts.find((draft) => draft.personId === personId)
  const writerIds = drafts.filter((draft) => draft !== own).map((draft) => draft.personId)
  return { draft: own?.body, draftCc: own?.cc, draftAttachments: { files }, writerIds }
}

export function requireDraft(text: string): string {
  const body = cleanText(text).trim()
  if (body.length > MAX_DRAFT) throw invalidArgument('body', `body must be at most ${MAX_DRAFT} characters.`)
  return body
}

/** What was typed into a field of one line, valid or not. */
export function typedLine(text: string): string {
  return cleanLine(text).trim().slice(0, MAX_LINE)
}
