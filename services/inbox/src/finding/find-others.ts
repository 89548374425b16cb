import type { AttachmentMeta } from '@family-inbox/mail-reader/mime/attachments'
import { previewKind } from '@family-inbox/mail-reader/preview/preview-kind'
import type { Attachment, ConversationMessage } from '@family-inbox/proto/inbox/v1/inbox'
import { cut } from '@family-inbox/service-kit/text/cut'
import type { Context } from '../context.ts'
import { draftId } from '../models/draft.ts'
import type { Message } from '../models/message.ts'
import { SUMMARY_FIELDS, type SummaryRow } from '../models/message-summary.ts'
import type { Reader } from '../models/read-watermark.ts'
import { findMembers } from './find-conversations.ts'
import type { MessageRef } from './find-messages.ts'
import { findWatermarks } from './read-state.ts'
import { toSummary, toWireAttachment, toWireAuthenticity } from './to-summary.ts'
import { findUnread } from './unread.ts'

/** The limit for a conversation; older messages are found by search. */
const MAX_OTHERS = 100
/** As much as tools get. The message on its own page has all. */
const MAX_OTHER_BODY = 8000

const OTHER_FIELDS = {
  ...SUMMARY_FIELDS,
  workspaceId: 1,
  lovedOneId: 1,
  text: 1,
  truncated: 1,
  attachments: 1,
  forwardingConfirmation: 1,
  rearranged: 1,
} as const

type OtherRow = SummaryRow & Pick<Message, keyof typeof OTHER_FIELDS>
export type Others = { rows: OtherRow[]; unread: ReadonlySet<string>; drafts: ReadonlySet<string> }

/** The other messages of the conversation, oldest first, with the reader's state of them. */
export async function findOthers(ctx: Context, reader: Reader, row: MessageRef): Promise<Others> {
  const { lovedOneId } = row
  const { workspaceId } = reader
  const grouped = await findMembers(ctx, { workspaceId, lovedOneIds: [lovedOneId] }, [row])
  const members = [...grouped.values()].flat().filter(({ _id }) => _id !== row._id)
  if (members.length === 0) return { rows: [], unread: new Set(), drafts: new Set() }
  const ids = members.slice(0, MAX_OTHERS).map(({ _id }) => _id)
  const watermarks = await findWatermarks(ctx, reader, [lovedOneId])
  const [rows, unread, drafts] = await Promise.all([
    ctx.messages
      .find({ _id: { $in: ids } }, OTHER_FIELDS)
      .sort({ receivedAt: 1, _id: 1 })
      .lean<OtherRow[]>(),
    findUnread(ctx, reader, watermarks, members),
    ctx.drafts.distinct('messageRowId', { _id: { $in: ids.map((id) => draftId(reader.personId, id)) } }),
  ])
  return { rows, unread, drafts: new Set(drafts) }
}

export function toConversationMessage(
  { config }: Context,
  row: OtherRow,
  { unread, drafts }: Others,
): ConversationMessage {
  const { _id, text, truncated, attachments, forwardingConfirmation } = row
  return {
    message: toSummary(row, config),
    body: cut(text, MAX_OTHER_BODY),
    bodyTruncated: truncated || text.length > MAX_OTHER_BODY,
    attachments: attachments.map(toShownAttachment),
    unread: unread.has(_id),
    hasDraft: drafts.has(_id),
    forwardingConfirmation: forwardingConfirmation !== undefined,
    authenticity: toWireAuthenticity(row),
  }
}

/** Includes what its preview shows. */
export function toShownAttachment(meta: AttachmentMeta): Attachment {
  return { ...toWireAttachment(meta), preview: previewKind(meta), embedded: meta.embedded }
}
