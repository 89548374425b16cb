import { senderOf } from '@family-inbox/mail-reader/authenticity/sender-of'
import { SenderProof } from '@family-inbox/proto/calendar/v1/calendar_change'
import { rowSchema } from '@family-inbox/workspace-kit/row-schema'
import type { Connection } from 'mongoose'
import type { Message } from './message.ts'
import type { Reply } from './reply.ts'

/** Somebody whose mail was proven, or whom the family has written to: an entry of its address book. */
export type Correspondent = {
  /** `<workspaceId>/<address>` */
  _id: string
  workspaceId: string
  address: string
  /** As their newest mail says it; empty before. */
  name: string
  /** Their newest mail or the family's. */
  lastAt: Date
  /** Their mail was proven. */
  isProven?: true
}

const schema = rowSchema<Correspondent>(
  'correspondents',
  { _id: String, workspaceId: String, address: String, name: String, lastAt: Date, isProven: Boolean },
  { workspaceId: 'field' },
  { shardKey: { workspaceId: 1 } },
)
schema.index({ workspaceId: 1, lastAt: -1 })

export function correspondentModel(connection: Connection) {
  return connection.model('Correspondent', schema)
}

export function correspondentId(workspaceId: string, address: string): string {
  return `${workspaceId}/${address}`
}

export const HEARD_FIELDS = {
  workspaceId: 1,
  receivedAt: 1,
  category: 1,
  from: 1,
  originalSender: 1,
  forwardedByMember: 1,
  sentByMember: 1,
  authenticity: 1,
} as const

export type HeardRow = Pick<Message, keyof typeof HEARD_FIELDS>

/** Nobody reads what is sent there. */
const UNREAD_MAILBOX =
  /^(?:no|do-?not|not?)[-_.]?(?:reply|respond|responder|answer)|^(?:mailer-daemon|postmaster|bounces?)\b/i

/** The update that enters who wrote a mail; undefined for what proves nothing, programs, and a member's own mail. */
export function heardFrom(row: HeardRow) {
  const { workspaceId, receivedAt, category, sentByMember } = row
  const { sender, proof } = senderOf(row)
  const isOwn = sentByMember && proof === SenderProof.VERIFIED
  const address = sender.address.toLowerCase()
  if (proof === SenderProof.UNSPECIFIED || isOwn || category === 'automated' || UNREAD_MAILBOX.test(address))
    return undefined
  const { name } = sender
  return enter(workspaceId, address, receivedAt, { isProven: true, ...(name !== '' && { name }) })
}

/** The update that enters the recipient of a mail of the family. */
export function wroteTo({ workspaceId, to, createdAt }: Pick<Reply, 'workspaceId' | 'to' | 'createdAt'>) {
  return enter(workspaceId, to, createdAt, {})
}

function enter(
  workspaceId: string,
  address: string,
  at: Date,
  known: Pick<Partial<Correspondent>, 'name' | 'isProven'>,
) {
  const filter = { _id: correspondentId(workspaceId, address) }
  const $setOnInsert = { workspaceId, address, ...(known.name === undefined && { name: '' }) }
  return { updateOne: { filter, update: { $set: known, $max: { lastAt: at }, $setOnInsert }, upsert: true } }
}
