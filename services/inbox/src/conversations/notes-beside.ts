import { isOfVerifiedSender, senderOf } from '@family-inbox/mail-reader/authenticity/sender-of'
import type { Note } from '@family-inbox/proto/inbox/v1/inbox'
import type { Context } from '../context.ts'
import { findMembers } from '../finding/find-conversations.ts'
import type { Message } from '../models/message.ts'
import { findNotes } from './notes.ts'

const SENDER_FIELDS = { from: 1, originalSender: 1, forwardedByMember: 1, authenticity: 1 } as const

type Sender = Pick<Message, keyof typeof SENDER_FIELDS>
type SenderRow = Sender & Pick<Message, '_id'>
type Row = SenderRow & Pick<Message, 'workspaceId' | 'lovedOneId' | 'receivedAt' | 'conversationId'>

/**
 * The notes that an assistant gets with a message: its own, and those of mail in its conversation that is provably from the same
 * address. What an assistant reads, the sender may ask it to repeat, so there are none beside mail of an unproven sender.
 */
export async function findNotesBeside(ctx: Context, row: Row): Promise<{ notes: Note[]; isWithheld: boolean }> {
  const { workspaceId, lovedOneId } = row
  const grouped = await findMembers(ctx, { workspaceId, lovedOneIds: [lovedOneId] }, [row])
  const others = [...grouped.values()].flat().flatMap(({ _id }) => (_id === row._id ? [] : _id))
  if (!isOfVerifiedSender(row)) {
    const isWithheld = (await ctx.notes.exists({ messageRowId: { $in: [row._id, ...others] } })) !== null
    return { notes: [], isWithheld }
  }
  const rows =
    others.length === 0 ? [] : await ctx.messages.find({ _id: { $in: others } }, SENDER_FIELDS).lean<SenderRow[]>()
  const sameSender = rows.filter((other) => isOfSameVerifiedSender(row, other))
  return { notes: await findNotes(ctx, [row._id, ...sameSender.map(({ _id }) => _id)]), isWithheld: false }
}

export function isOfSameVerifiedSender(one: Sender, other: Sender): boolean {
  return [one, other].every(isOfVerifiedSender) && addressOf(one) === addressOf(other)
}

function addressOf(row: Sender): string {
  return senderOf(row).sender.address.toLowerCase()
}
