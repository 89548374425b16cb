import { setTimeout as sleep } from 'node:timers/promises'
import { MailKind, type OutgoingMail } from '@family-inbox/proto/mail/v1/mail'
import { isDuplicateKey } from '@family-inbox/service-kit/mongo/mongo'
import { describeError } from '@family-inbox/service-kit/observability/logger'
import { count } from '@family-inbox/service-kit/observability/metrics'
import type { Context } from '../context.ts'
import { crashPoint } from '../crash-points.ts'
import { type Delivery, type DeliveryState, mayHaveExpired } from '../models/delivery.ts'
import { pushBeside } from '../notifying/send-push.ts'
import { isOwnAddress } from '../own-address.ts'
import { composeMail, messageIdHeaderFor } from './compose.ts'
import { findMailFiles } from './mail-files.ts'
import { returnPathHash, returnPathOf } from './return-path.ts'
import { isStopped, recordBounce, stoppableRecipient } from './stopped-mail.ts'
import type { Transport } from './transport.ts'

export const mailsSent = count({
  name: 'mail_sent_total',
  help: 'Attempts to send mail, by result: sent, failed, queued (will retry) or unknown.',
  labels: ['state'],
  zero: ['sent', 'failed', 'queued', 'unknown'].map((state) => ({ state })),
})

const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
/** About 20 hours in all: a clinic's server that is down overnight still gets the mail (RFC 5321 section 4.5.4.1). */
const DELAYS = [
  5 * SECOND,
  20 * SECOND,
  MINUTE,
  5 * MINUTE,
  15 * MINUTE,
  30 * MINUTE,
  HOUR,
  2 * HOUR,
  4 * HOUR,
  4 * HOUR,
  8 * HOUR,
]

/** Mail to somebody outside. Test mail goes to an inbox on purpose. */
const LEAVES_US: MailKind[] = [MailKind.REPLY, MailKind.INVITATION]

/** Where and since when a mail is in the queue. */
type Queued = { seq: number; queuedAt: Date }

/** Undefined: done with this mail. */
type SendResult = { retryAfterMs?: number }

const CLAIMED_RETRY_MS = 5000
/** Most mails are done by then. */
const CHECK_AFTER_MS = 15_000
const SAVE_FOR_MS = 60_000
const SAVE_AGAIN_MS = 500

/** At most once: `handing_over` is journaled before the end of the mail leaves. After a crash then, nobody resends. */
export async function sendOnce(
  ctx: Context,
  transport: Transport,
  mail: OutgoingMail,
  queued: Queued,
): Promise<SendResult> {
  if (await ctx.removedWorkspaces.exists({ _id: mail.workspaceId })) return {}
  const delivery = await openDelivery(ctx, mail, queued)
  if (delivery.state === 'handing_over') {
    await saveState(ctx, mail.id, 'unknown')
    ctx.logger.warn({ mail: mail.id }, 'the process crashed while sending a mail; it is not sent again')
    return {}
  }
  if (delivery.state !== 'queued') return {}
  if (await isStopped(ctx, mail)) {
    await saveOutcome(ctx, mail.id, 'failed')
    return {}
  }
  if (LEAVES_US.includes(mail.kind) && isOwnAddress(ctx.config, mail.toAddress)) {
    await saveOutcome(ctx, mail.id, 'failed')
    ctx.logger.error({ mail: mail.id }, 'a mail to one of our own addresses would be lost; it is not sent')
    return {}
  }
  const attachments = await findMailFiles(ctx, mail)
  if (attachments === undefined) {
    await saveOutcome(ctx, mail.id, 'failed')
    ctx.logger.error({ mail: mail.id }, 'the files of a mail are gone; it is not sent without them')
    return {}
  }
  const sending = sendingOf(ctx, delivery, queued)
  const composed = { ...composeMail(mail, sending), attachments }
  const outcome = await transport.send(composed, mail.id, () => claim(ctx, mail.id, sending.returnPath))
  crashPoint('mail-answered')
  if (outcome === 'elsewhere') return { retryAfterMs: CLAIMED_RETRY_MS }
  if (outcome !== 'retry') {
    await pushBeside(ctx, mail)
    if (outcome === 'bounced') await recordBounce(ctx, delivery)
    await saveOutcome(ctx, mail.id, outcome === 'sent' || outcome === 'unknown' ? outcome : 'failed')
    crashPoint('mail-marked')
    return {}
  }
  const retryAfterMs = retryDelay(delivery.attempts + 1)
  await saveOutcome(ctx, mail.id, retryAfterMs === undefined ? 'failed' : 'queued')
  return { retryAfterMs }
}

function sendingOf({ config }: Context, { _id, messageIdHeader }: Delivery, { queuedAt }: Queued) {
  const messageId = messageIdHeader ?? messageIdHeaderFor(_id, config)
  return { senderAddress: config.senderAddress, messageId, returnPath: returnPathOf(_id, config), queuedAt }
}

/** Called when a mail is queued and whenever it is sent, so that a mail that the queue loses has a record. */
export async function openDelivery(ctx: Context, mail: OutgoingMail, { seq, queuedAt }: Queued): Promise<Delivery> {
  const known = await ctx.deliveries.findById(mail.id).lean()
  if (known !== null) return known
  // The record of such an old mail may have expired, so it may have been sent.
  const state = mayHaveExpired(queuedAt) ? 'unknown' : 'queued'
  const delivery: Delivery = {
    _id: mail.id,
    workspaceId: mail.workspaceId,
    state,
    attempts: 0,
    messageIdHeader: messageIdHeaderFor(mail.shared?.id ?? mail.id, ctx.config),
    ...stoppableRecipient(mail),
    seq,
    ...(state === 'queued' && { checkAfter: new Date(Date.now() + CHECK_AFTER_MS) }),
    createdAt: queuedAt,
    changedAt: new Date(),
  }
  try {
    await ctx.deliveries.insertOne(delivery)
    crashPoint('delivery-recorded')
    return delivery
  } catch (error) {
    if (!isDuplicateKey(error)) throw error
    return ctx.deliveries.findById(mail.id).lean().orFail()
  }
}

/** Stores the return path of this attempt: another key may have made that of an earlier one. */
async function claim(ctx: Context, id: string, returnPath: string): Promise<boolean> {
  const claimed = await ctx.deliveries.updateOne(
    { _id: id, state: 'queued' },
    { $set: { state: 'handing_over', returnPathHash: returnPathHash(returnPath), changedAt: new Date() } },
  )
  crashPoint('mail-claimed')
  return claimed.matchedCount === 1
}

/** Without its result, the mail would become `unknown`. */
async function saveOutcome(ctx: Context, id: string, state: DeliveryState): Promise<void> {
  for (const giveUpAt = Date.now() + SAVE_FOR_MS; ; await sleep(SAVE_AGAIN_MS)) {
    try {
      return await saveState(ctx, id, state, 1)
    } catch (error) {
      if (Date.now() > giveUpAt) throw error
      ctx.logger.warn(describeError(error), 'the result of sending a mail could not be saved; retrying')
    }
  }
}

async function saveState(ctx: Context, id: string, state: DeliveryState, attempts = 0): Promise<void> {
  mailsSent.inc({ state })
  const $unset = state === 'queued' ? {} : { checkAfter: 1 as const }
  await ctx.deliveries.updateOne({ _id: id }, { $set: { state, changedAt: new Date() }, $inc: { attempts }, $unset })
}

function retryDelay(attempts: number): number | undefined {
  return DELAYS[attempts - 1]
}
