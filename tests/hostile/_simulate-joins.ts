import { SenderProof } from '@family-inbox/proto/calendar/v1/calendar_change'
import { chooseConversations } from '../../services/inbox/src/arriving/choose-conversations.ts'
import { type LinkedRow, toCheckedMail } from '../../services/inbox/src/arriving/find-linked.ts'
import { conversationKeys, messageIdKey } from '../../services/inbox/src/models/conversation-keys.ts'
import { publicIdOf } from '../../services/inbox/src/models/message.ts'

/** A mail in the order of arrival, and what the family replied to it. */
export type Arrived = { row: LinkedRow; replies?: { messageId: string; to: string }[] }

type Stored = ReturnType<typeof read> & { conversationId: string }

/** Joins mail as inbox does, on paper. @returns the conversation of each mail, by row id */
export function simulateJoins(arrived: readonly Arrived[]): Map<string, string> {
  const stored: Stored[] = []
  for (const mail of arrived) {
    const own: Stored = { ...readOnce(mail), conversationId: publicIdOf(mail.row) }
    const others = stored.filter(({ keys }) => keys.some((key) => own.sought.has(key)))
    const chosen = chooseConversations(own.mail, others.map(toMail), findVerified(stored))
    stored.push(own)
    const joined = [own.conversationId, ...chosen]
    const members = stored.filter(({ conversationId }) => joined.includes(conversationId))
    const [{ conversationId } = own] = members
    for (const member of members) member.conversationId = conversationId
  }
  return new Map(stored.map(({ id, conversationId }) => [id, conversationId]))
}

const known = new WeakMap<Arrived, ReturnType<typeof read>>()

function readOnce(arrived: Arrived): ReturnType<typeof read> {
  const found = known.get(arrived) ?? read(arrived)
  known.set(arrived, found)
  return found
}

function read({ row, replies = [] }: Arrived) {
  const { own, sought } = conversationKeys(row)
  const ours = replies.map(({ messageId }) => messageIdKey(messageId))
  const keys = [...own, ...ours]
  const entry = { conversationId: publicIdOf(row), conversation: keys }
  const mail = toCheckedMail(row, entry, new Map([[row._id, replies]]))
  const isVerified = mail.proof === SenderProof.VERIFIED && !mail.isMembers
  return { id: row._id, keys, sought: new Set([...sought, ...ours]), mail, isVerified }
}

function toMail({ mail, conversationId }: Stored) {
  return { ...mail, conversationId }
}

function findVerified(stored: readonly Stored[]): Set<string> {
  return new Set(stored.filter(({ isVerified }) => isVerified).map(({ conversationId }) => conversationId))
}
