import type { Member } from '@family-inbox/care-circle/models/member'
import type { ConversationStatus, Status } from '@family-inbox/inbox/models/conversation-status'
import { type Message, messageIdOf, messageRowId } from '@family-inbox/inbox/models/message'
import { type Note, newNoteId } from '@family-inbox/inbox/models/note'
import { newMark, readMarkId } from '@family-inbox/inbox/models/read-mark'
import { type ReadWatermark, readWatermarkId } from '@family-inbox/inbox/models/read-watermark'
import { type Reminder, reminderId } from '@family-inbox/inbox/models/reminder'
import type { Workspace } from './workspace.ts'

type Row = Pick<Message, '_id' | 'workspaceId' | 'lovedOneId' | 'receivedAt' | 'conversationId'>

const CHUNK = 5000
const DAY_MS = 86_400_000
/** Inbox itself opens the mail that just came over SMTP. */
const JUST_ARRIVED_MS = 30 * 60_000
/** Conversations that the family is busy with. */
const RECENT = 600
/** Messages above the reader's watermark, nearly as many as there ever are. */
const ABOVE_WATERMARK = 350

/**
 * What a family makes of its mail, in the form that inbox stores: it is read, taken, done and noted, and some has reminders.
 * @param members the first one reads, and has mail of its own
 */
export async function workThroughInbox(
  { collection }: Workspace,
  lovedOneId: string,
  members: Member[],
): Promise<void> {
  const fields = { workspaceId: 1, lovedOneId: 1, receivedAt: 1, conversationId: 1 }
  const mails = collection<Message>('inbox', 'messages')
    .find({ lovedOneId, receivedAt: { $lt: new Date(Date.now() - JUST_ARRIVED_MS) } }, { projection: fields })
    .sort({ receivedAt: -1, _id: -1 })
  const rows = (await mails.toArray()) as Row[]
  const [reader] = members as [Member]
  await insert(collection('inbox', 'conversation_statuses'), toStatuses(rows, members))
  await insert(
    collection('inbox', 'read_marks'),
    rows.map((row) => {
      const mark = newMark(reader.personId, row)
      return { _id: readMarkId(reader.personId, row._id), ...mark, read: true, readAt: row.receivedAt }
    }),
  )
  await insert(
    collection('inbox', 'notes'),
    rows.filter((_, index) => index % 50 === 0).map((row) => toNote(row, reader)),
  )
  const reminded = rows.slice(0, RECENT).filter((_, index) => index % 10 === 0)
  await insert(
    collection('inbox', 'reminders'),
    reminded.map((row) => toReminder(row, reader)),
  )
  await collection<ReadWatermark>('inbox', 'read_watermarks').updateOne(
    { _id: readWatermarkId(reader, lovedOneId) },
    { $set: { workspaceId: reader.workspaceId, receivedAt: rows[ABOVE_WATERMARK]?.receivedAt ?? new Date(0) } },
    { upsert: true },
  )
}

function toStatuses(rows: Row[], members: Member[]): ConversationStatus[] {
  const newest = new Map(rows.toReversed().map((row) => [row.conversationId ?? messageIdOf(row), row]))
  return [...newest].reverse().map(([conversationId, row], index) => {
    const [status, holder] = statusAt(index, members)
    const { workspaceId, lovedOneId, receivedAt } = row
    return {
      _id: messageRowId(row, conversationId),
      workspaceId,
      lovedOneId,
      status,
      ...(holder && { assigneeId: holder.personId, assigneeName: holder.name }),
      changedByName: members[0]?.name ?? '',
      changedAt: receivedAt,
      mailAt: receivedAt,
      version: 1,
    }
  })
}

/** Of old mail one in a hundred is still open, and one in fifty was never given back. */
function statusAt(index: number, [reader, other]: Member[]): [Status, Member | undefined] {
  const turn = index % (index < RECENT ? 5 : 100)
  if (turn === 0) return ['open', undefined]
  if (turn === 1) return ['taken', reader]
  if (turn === 2) return ['taken', other]
  return [turn === 3 ? 'not_needed' : 'done', undefined]
}

function toNote({ _id, workspaceId, lovedOneId, receivedAt }: Row, { personId, name }: Member): Note {
  const text = 'Called them. They move it to the afternoon.'
  const about = { workspaceId, lovedOneId, messageRowId: _id, personId, name, text, createdAt: receivedAt }
  return { _id: newNoteId(personId, _id, '', text), ...about }
}

function toReminder({ _id, workspaceId, lovedOneId }: Row, { personId, name }: Member): Reminder {
  const dueAt = new Date(Date.now() + 30 * DAY_MS)
  const wanted = { messageRowId: _id, day: dueAt.toISOString().slice(0, 10), onlyIfUnanswered: true }
  const by = { workspaceId, lovedOneId, personId, name, timeZone: 'Europe/Lisbon' }
  const times = { createdAt: new Date(), dueAt, keptUntil: new Date(dueAt.getTime() + 30 * DAY_MS) }
  return { _id: reminderId(wanted), ...by, ...wanted, ...times }
}

async function insert<Row extends object>(rows: ReturnType<Workspace['collection']>, all: Row[]): Promise<void> {
  for (let from = 0; from < all.length; from += CHUNK)
    await rows.insertMany(all.slice(from, from + CHUNK), { ordered: false, writeConcern: { w: 1 } })
}
