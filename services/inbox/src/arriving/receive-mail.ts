import type { SmtpEnvelope } from '@family-inbox/mail-reader/authenticity/authenticity'
import type { ParsedMessage } from '@family-inbox/mail-reader/parsed-message'
import { clientNetwork } from '@family-inbox/service-kit/http/client-network'
import { createFairBudget } from '@family-inbox/service-kit/lifecycle/fair-budget'
import { describeError } from '@family-inbox/service-kit/observability/logger'
import { count } from '@family-inbox/service-kit/observability/metrics'
import { raceDeadline } from '@family-inbox/service-kit/rpc/deadline'
import type { SMTPServerDataStream } from 'smtp-server'
import type { Context } from '../context.ts'
import type { Inbox } from '../models/message.ts'
import { hashOriginal, isEmbedded } from '../models/original.ts'
import { recordReport } from '../sending/stopped-mail.ts'
import { findInbox, type Recipient, type RecipientInbox } from './accept-recipient.ts'
import { MAX_MAIL_BYTES, readData } from './read-data.ts'
import { type ReportMail, receiveFeedback } from './receive-feedback.ts'
import { isRefusal, type Refusal, refusals } from './refusals.ts'
import { sendToOperator } from './send-to-operator.ts'
import { type Arriving, dedupeKey, type ReadableMail } from './store-mail.ts'
import { storeWithinLimits } from './store-within-limits.ts'
import { storeWithinQuota } from './store-within-quota.ts'

/** Eight of the largest messages; a single sender may use half. */
const MEMORY_BYTES = 8 * MAX_MAIL_BYTES
/** Longer than a slow disk needs, and short enough to answer the sender when MongoDB stops. */
const STORE_MS = 10_000

/** More Received fields indicate a loop (RFC 5321 6.3). */
const MAX_HOPS = 50
/** The format of sending/compose.ts. */
const OWN_ID = /^<[0-9a-f]{40}@/

const returnedMail = count({
  name: 'mail_own_returned_total',
  help: 'Our own mails that a rule forwarded back to the same family; accepted but not stored.',
  labels: [] as const,
})

type Transaction = {
  envelope: SmtpEnvelope
  recipients: Recipient[]
  cutOff: (refusal: Refusal) => void
}

type ReceiveMail = (stream: SMTPServerDataStream, transaction: Transaction) => Promise<void>

/** RFC 5321 DATA. On return, the message is on disk in every inbox. Other errors than Refusal: the client left. */
export function createReceiveMail(ctx: Arriving): ReceiveMail {
  const memory = createFairBudget(MEMORY_BYTES)
  return async (stream, { envelope, recipients, cutOff }) => {
    const inboxes = inboxesOf(recipients)
    const owners = [`peer ${clientNetwork(envelope.peer)}`, ...inboxes.map(({ workspaceId }) => workspaceId)]
    const share = memory.take(owners, 0)
    if (share === undefined) throw refusals.memoryFull()
    const { raw, release } = await readData(stream, share, cutOff, ctx.config.smtp.idleTimeoutMs)
    const stored = storeInFairShare(ctx, owners, () => deliver(ctx, { raw, envelope }, recipients))
    await orTryLater(ctx, stored.finally(release))
  }
}

/** Memory and share are released when the work ends, even if the client has left. */
async function storeInFairShare({ storing }: Context, owners: string[], work: () => Promise<void>): Promise<void> {
  using share = storing.take(owners, 1)
  if (share === undefined) throw refusals.tryLater()
  await work()
}

async function orTryLater(ctx: Context, stored: Promise<void>): Promise<void> {
  try {
    await raceDeadline(stored, Date.now() + STORE_MS)
  } catch (error) {
    if (isRefusal(error)) throw error
    ctx.logger.warn(describeError(error), 'a mail could not be stored; the sender was asked to retry')
    throw refusals.tryLater()
  }
}

type IncomingMail = { raw: Buffer; envelope: SmtpEnvelope }

/** Our other addresses accept only reports. If a copy fails, the sender retries all of them. */
async function deliver(ctx: Arriving, { raw, envelope }: IncomingMail, recipients: Recipient[]): Promise<void> {
  const receivedAt = new Date()
  const inboxes = inboxesOf(recipients)
  const parsed = await ctx.parser.parse(raw, { nullReturnPath: envelope.sender === '' }, inboxes[0]?.workspaceId)
  if (parsed.receivedHops > MAX_HOPS) throw refusals.loop()
  const isForOperator = recipients.includes('postmaster')
  if (!parsed.report && inboxes.length === 0 && !isForOperator) throw refusals.reportsOnly()
  if (parsed.report) await receiveReport(ctx, { raw, envelope, parsed, report: parsed.report }, recipients)
  const hash = isEmbedded(raw) ? undefined : hashOriginal(raw)
  const mail = { raw, hash, dedupeKey: dedupeKey(parsed, raw), envelope, receivedAt, parsed }
  if (isForOperator) await sendToOperator(ctx, mail)
  const failures: unknown[] = []
  for (const inbox of distinct(inboxes)) await store(ctx, inbox, mail).catch((error) => failures.push(error))
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
  if (messageId === undefined || !OWN_ID.test(messageId) || !messageId.endsWith(`@${ctx.config.mailDomain}>`))
    return false
  if (await ctx.testMails.exists({ workspaceId, lovedOneId, messageIdHeader: messageId })) return false
  const replyInbox = replyTo && (await findInbox(ctx, replyTo.address))
  return replyInbox === undefined || replyInbox.workspaceId === workspaceId
}
