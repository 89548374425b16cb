import { foldEmail } from '@family-inbox/service-kit/rpc/text-rules'
import { DAY_MS } from '@family-inbox/service-kit/time/days'
import { MAX_MAIL_BYTES } from '../arriving/read-data.ts'
import type { FetchedMailbox, Position } from '../models/mailbox.ts'
import { namesSender } from '../models/sender-filter.ts'

/** What the server says about a message before it is fetched. */
export type MailFacts = {
  uid: number
  size: number
  /** The address in From. */
  from: string
  /** When it came into the mailbox (RFC 9051 2.3.3). */
  internalDate: Date
  /** The Date field. */
  sentAt?: Date | undefined
}

export type Verdict =
  | 'new'
  /** From before the mailbox was added. */
  | 'earlier'
  | 'tooLarge'
  /** Not of a listed sender, handled before, or older than the family keeps mail. */
  | 'skipped'

/** Clocks and time zones differ, and servers round. */
const SLACK_MS = DAY_MS
/** A letter is rarely longer on its way. */
const ON_ITS_WAY_MS = 7 * DAY_MS

type Rule = Pick<FetchedMailbox, 'senders' | 'withEarlier' | 'addedAt' | 'checkedAt'>

/** Whether a message is fetched, and as what. @param keptDays how long mail is kept; undefined: forever */
export function whichMail(rule: Rule, position: Position, mail: MailFacts, now: Date, keptDays?: number): Verdict {
  const { uid, size, from, internalDate } = mail
  const { earlierBelow = 0, knownBelow = 0 } = position
  if (rule.senders.length > 0 && !rule.senders.some((sender) => namesSender(sender, foldEmail(from)))) return 'skipped'
  const isEarlier = uid < earlierBelow || (uid < knownBelow && internalDate < rule.addedAt)
  if (isEarlier && keptDays !== undefined && internalDate.getTime() < now.getTime() - keptDays * DAY_MS)
    return 'skipped'
  if (uid < knownBelow && wasHandled(rule, mail)) return 'skipped'
  if (size > MAX_MAIL_BYTES) return 'tooLarge'
  return isEarlier ? 'earlier' : 'new'
}

/**
 * After a change of UIDVALIDITY, the dates tell what was handled: what came before the last time the mailbox was up to date, or was
 * written long before the mailbox was added. The rest is fetched; what is in the inbox is not stored again.
 */
function wasHandled({ withEarlier, addedAt, checkedAt }: Rule, { internalDate, sentAt }: MailFacts): boolean {
  if (checkedAt !== undefined && internalDate.getTime() < checkedAt.getTime() - SLACK_MS) return true
  return !withEarlier && sentAt !== undefined && sentAt.getTime() < addedAt.getTime() - ON_ITS_WAY_MS
}
