import type { SmtpEnvelope } from '@family-inbox/mail-reader/authenticity/authenticity'
import type { ParsedMessage } from '@family-inbox/mail-reader/parsed-message'
import { count } from '@family-inbox/service-kit/observability/metrics'
import { receiveAnswer } from '../answering/receive-answer.ts'
import type { Context } from '../context.ts'
import type { AnswerAddress } from '../models/answer-address.ts'
import type { Inbox } from '../models/message.ts'
import { hashOriginal, isEmbedded } from '../models/original.ts'
import { isOwnMessageId } from '../sending/compose.ts'
import { recordReport } from '../sending/stopped-mail.ts'
import { findInbox, type Recipient, type RecipientInbox } from './accept-recipient.ts'
import { receiveDeliveryTest } from './receive-delivery-test.ts'
import { type ReportMail, receiveFeedback } from './receive-feedback.ts'
import { refusals } from './refusals.ts'
import { sendToOperator } from './send-to-operator.ts'
import { type Arriving, dedupeKey, type ReadableMail } from './store-mail.ts'
import { storeWithinLimits } from './store-within-limits.ts'
import { storeWithinQuota } from './store-within-quota.ts'

/** More Received fields indicate a loop (RFC 5321 6.3). */
const MAX_HOPS = 50

const returnedMail = count({
  name: 'mail_own_returned_total',
  help: 'Our own mails that a rule forwarded back to the same family; accepted but not stored.',
  labels: [] as const,
})

export type IncomingMail = {
  raw: Buffer
  envelope: SmtpEnvelope
  /** Default: now. */
  receivedAt?: Date
  /** It was in a mailbox that the family added: nobody is asked to act on it, and it is not counted as new mail. */
  isEarlier?: true
}

/**
 * Puts one mail on disk in every inbox. Our other addresses accept only reports. If a copy fails, repeat it for all of them.
 * @throws Refusal, or what the database throws
 */
export async function deliver(ctx: Arriving, incoming: IncomingMail, recipients: Recipient[]): Promise<void> {
  const { raw, envelope, receivedAt = new Date(), isEarlier } = incoming
  const inboxes = inboxesOf(recipients)
  const parsed = await ctx.parser.parse(raw, { nullReturnPath: envelope.sender === '' }, familiesOf(recipients)[0])
  if (parsed.receivedHops > MAX_HOPS) throw refusals.loop()
  const isForOperator = recipients.includes('postmaster')
  const answered = answersOf(recipients)
  const test = recipients.find((recipient) => typeof recipient !== 'string' && 'test' in recipient)
  if (test !== undefined) await receiveDeliveryTest(ctx, test.test, incoming, parsed)
  else if (!parsed.report && inboxes.length === 0 && answered.length === 0 && !isForOperator)
    throw refusals.reportsOnly()
  if (parsed.report) await receiveReport(ctx, { raw, envelope, parsed, report: parsed.report }, recipients)
  const hash = isEmbedded(raw) ? undefined : hashOriginal(raw)
  const mail = { raw, hash, dedupeKey: dedupeKey(parsed, raw), envelope, receivedAt, parsed, isEarlier }
  if (isForOperator) await sendToOperator(ctx, mail)
  const failures: unknown[] = []
  for (const inbox of distinct(inboxes)) await store(ctx, inbox, mail).catch((error) => failures.push(error))
  for (const address of answered) await receiveAnswer(ctx, address, mail).catch((error) => failures.push(error))
  if (failures.length > 0) throw failures[0]
}

/** Anyone can write a report, so it counts for the mail at whose return path it comes, and for no other. */
async function receiveReport(ctx: Context, mail: ReportMail, recipients: Recipient[]): Promise<void> {
  for (const recipient of recipients) {
    if (recipient === 'sender') await receiveFeedback(ctx, mail)
    else if (typeof recipient !== 'string' && 'returned' in recipient)
      await recordReport(ctx, recipient.returned, mail.report.kind)
  }
}

async function store(ctx: Arriving, { quota, ...inbox }: RecipientInbox, mail: ReadableMail): Promise<void> {
  if (await isOwnMail(ctx, inbox, mail.parsed)) return void returnedMail.inc()
  if (quota === undefined) await storeWithinLimits(ctx, inbox, mail)
  else await storeWithinQuota(ctx, inbox, mail)
}

function inboxesOf(recipients: Recipient[]): RecipientInbox[] {
  return recipients.flatMap((recipient) =>
    typeof recipient !== 'string' && 'inbox' in recipient ? recipient.inbox : [],
  )
}

/** Each once. */
function answersOf(recipients: Recipient[]): AnswerAddress[] {
  const answered = recipients.flatMap((recipient) =>
    typeof recipient !== 'string' && 'answer' in recipient ? recipient.answer : [],
  )
  return [...new Map(answered.map((address) => [address._id, address])).values()]
}

/** Whose share of the service a mail takes. */
export function familiesOf(recipients: Recipient[]): string[] {
  return [...inboxesOf(recipients), ...answersOf(recipients)].map(({ workspaceId }) => workspaceId)
}

/** An address with a suffix is the same inbox. */
function distinct(inboxes: RecipientInbox[]): RecipientInbox[] {
  return [...new Map(inboxes.map((inbox) => [inbox.addressId, inbox])).values()]
}

/** Our own mail to this family, forwarded back by a rule: storing it could start a loop or show everyone a code. */
async function isOwnMail(
  ctx: Context,
  { workspaceId, lovedOneId }: Omit<Inbox, 'addressId'>,
  { messageId, replyTo }: ParsedMessage,
): Promise<boolean> {
  if (messageId === undefined || !isOwnMessageId(messageId, ctx.config)) return false
  if (await ctx.testMails.exists({ workspaceId, lovedOneId, messageIdHeader: messageId })) return false
  const replyInbox = replyTo && (await findInbox(ctx, replyTo.address))
  return replyInbox === undefined || replyInbox.workspaceId === workspaceId
}
