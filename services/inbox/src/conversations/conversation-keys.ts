import { createHash } from 'node:crypto'
import type { Message } from '../models/message.ts'

const MAX_IDS = 30
const MAX_PREFIXES = 10

/** Of answers, as mail programs write them in their languages. */
const ANSWER = /^(?:re|aw|sv|vs|antw|odp|ynt|ref|rif|res|r)(?:\[\d{1,3}\])?\s?[:：]/i
const FORWARD = /^(?:fwd?|wg|tr|rv|enc|vl|vb|i)(?:\[\d{1,3}\])?\s?[:：]/i

export type ConversationKeys = {
  /** Stored with the message. */
  own: string[]
  /** A message that stores one of these belongs to the same conversation. */
  sought: string[]
}

type KeyedMessage = Pick<Message, 'messageIdHeader' | 'inReplyTo' | 'references' | 'subject' | 'from' | 'receivedAt'> &
  Pick<Partial<Message>, 'originalSender' | 'sentAt'>

/**
 * Messages belong together when they name a common Message-ID (RFC 5322 section 3.6.4). An answer that names none belongs to
 * the mail of the same person and subject, of its month or the one before. Two originals never do, however alike they are:
 * clinics use the same subject for every result. The relation is symmetric, so the order of arrival does not matter.
 */
export function conversationKeys(message: KeyedMessage): ConversationKeys {
  const ids = messageIds(message)
  const { own, sought } = subjectKeys(message)
  return { own: [...ids, ...own], sought: [...ids, ...sought] }
}

export function messageIdKey(messageId: string): string {
  return createHash('sha256').update(messageId).digest('base64url').slice(0, 16)
}

function messageIds({ messageIdHeader, inReplyTo, references }: KeyedMessage): string[] {
  const ids = [messageIdHeader, inReplyTo, ...references.toReversed()].filter((id) => id !== undefined)
  return [...new Set(ids)].slice(0, MAX_IDS).map(messageIdKey)
}

function subjectKeys(message: KeyedMessage): ConversationKeys {
  const { subject, inReplyTo, references, originalSender, from, sentAt, receivedAt } = message
  const address = (originalSender?.address || from.address).toLowerCase()
  const base = baseSubject(subject)
  if (base === '' || address === '') return { own: [], sought: [] }
  const key = (kind: 'original' | 'answer', month: number) => messageIdKey(JSON.stringify([kind, month, address, base]))
  const month = monthOf(sentAt ?? receivedAt)
  const isAnswer = ANSWER.test(subject) && inReplyTo === undefined && references.length === 0
  if (!isAnswer) return { own: [key('original', month)], sought: [key('answer', month)] }
  const months = [month, month - 1]
  const answers = months.map((one) => key('answer', one))
  return { own: answers, sought: [...answers, ...months.map((one) => key('original', one))] }
}

/** Without the prefixes of answers and forwarded mail, case and extra spaces. */
function baseSubject(subject: string): string {
  let rest = subject.normalize('NFKC').trim()
  for (let prefixes = 0; prefixes < MAX_PREFIXES; prefixes += 1) {
    const [prefix = ''] = ANSWER.exec(rest) ?? FORWARD.exec(rest) ?? []
    if (prefix === '') break
    rest = rest.slice(prefix.length).trimStart()
  }
  return rest.toLowerCase().split(/\s+/).join(' ')
}

function monthOf(moment: Date): number {
  return moment.getUTCFullYear() * 12 + moment.getUTCMonth()
}
