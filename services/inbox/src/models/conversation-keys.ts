import { createHash } from 'node:crypto'
import { forwardPrefix } from '@family-inbox/mail-reader/mime/subject-prefix'
import type { Message } from './message.ts'

const MAX_IDS = 30
const MAX_PREFIXES = 10

/** The prefixes of answers, as mail programs write them in their languages. */
const ANSWER = /^(?:re|aw|sv|vs|antw|odp|ynt|ref|rif|res|r)(?:\[\d{1,3}\])?\s?[:：]/i

export type ConversationKeys = {
  /** Stored with the message. */
  own: string[]
  /** A message that stores one of these belongs to the same conversation. */
  sought: string[]
}

type IdentifiedMessage = Pick<Message, 'messageIdHeader' | 'inReplyTo' | 'references'>
type KeyedMessage = IdentifiedMessage &
  Pick<Message, 'subject' | 'from' | 'receivedAt'> &
  Pick<Partial<Message>, 'originalSender' | 'sentAt'>

/**
 * Messages may belong together when they name a common Message-ID (RFC 5322 section 3.6.4). An answer that names none may belong
 * to the mail of the same person and subject, of its month or the one before. Two originals never do, however alike they are:
 * clinics use the same subject for every result. Anyone can name anything, so choose-conversations.ts decides by proof.
 */
export function conversationKeys(message: KeyedMessage): ConversationKeys {
  const ids = messageIdKeys(message)
  const { own, sought } = subjectKeys(message)
  return { own: [...ids, ...own], sought: [...ids, ...sought] }
}

export function messageIdKey(messageId: string): string {
  return createHash('sha256').update(messageId).digest('base64url').slice(0, 16)
}

export function messageIdKeys({ messageIdHeader, inReplyTo, references }: IdentifiedMessage): string[] {
  const ids = [messageIdHeader, inReplyTo, ...references.toReversed()].filter((id) => id !== undefined)
  return [...new Set(ids)].slice(0, MAX_IDS).map(messageIdKey)
}

/** An answer that names no other message. */
export function isBareAnswer({
  subject,
  inReplyTo,
  references,
}: IdentifiedMessage & Pick<Message, 'subject'>): boolean {
  return ANSWER.test(subject) && inReplyTo === undefined && references.length === 0
}

export function subjectKeys(message: KeyedMessage): ConversationKeys {
  const { subject, originalSender, from, sentAt, receivedAt } = message
  const address = (originalSender?.address || from.address).toLowerCase()
  const base = baseSubject(subject)
  if (base === '' || address === '') return { own: [], sought: [] }
  const key = (kind: 'original' | 'answer', month: number) => messageIdKey(JSON.stringify([kind, month, address, base]))
  const month = monthOf(sentAt ?? receivedAt)
  if (!isBareAnswer(message)) return { own: [key('original', month)], sought: [key('answer', month)] }
  const months = [month, month - 1]
  const answers = months.map((one) => key('answer', one))
  return { own: answers, sought: [...answers, ...months.map((one) => key('original', one))] }
}

/** Without the prefixes of answers and forwarded mail, case and extra spaces. */
function baseSubject(subject: string): string {
  let rest = subject.normalize('NFKC').trim()
  for (let prefixes = 0; prefixes < MAX_PREFIXES; prefixes += 1) {
    const prefix = ANSWER.exec(rest)?.[0] ?? forwardPrefix(rest)
    if (prefix === '') break
    rest = rest.slice(prefix.length).trimStart()
  }
  return rest.toLowerCase().split(/\s+/).join(' ')
}

function monthOf(moment: Date): number {
  return moment.getUTCFullYear() * 12 + moment.getUTCMonth()
}

/** Mail that would make a conversation longer starts another one. */
export const MAX_CONVERSATION = 200
