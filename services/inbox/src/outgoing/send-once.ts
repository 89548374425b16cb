import type { OutgoingMail } from '@family-inbox/proto/mail/v1/mail'
import { isDuplicateKey } from '@family-inbox/service-kit/mongo'
import type { Context } from '../context.ts'
import type { Delivery, DeliveryState } from '../models/delivery.ts'
import { composeMail } from './compose.ts'
import { retryDelay } from './retry-delay.ts'

/** `again`: milliseconds after which to try once more; undefined when the mail is dealt with. */
export type Dealt = { again?: number }

/**
 * Sends one queued mail, at most once. Before the end of the mail leaves, the record says `handing_over`, journaled: a
 * process that dies earlier has sent nothing, one that dies later may have, and then nobody sends it again.
 * @param queuedAt when it entered the queue
 */
export async function sendOnce(ctx: Context, mail: OutgoingMail, queuedAt: Date): Promise<Dealt> {
  if (await ctx.removedHouseholds.exists({ _id: mail.workspaceId })) return {}
  const delivery = await openDelivery(ctx, mail, queuedAt)
  if (delivery.state === 'handing_over') {
    await note(ctx, mail.id, 'unknown')
    ctx.logger.warn({ mail: mail.id }, 'the process died while a mail was handed over; it is not sent again')
    return {}
  }
  if (delivery.state !== 'queued') return {}
  const sender = { address: ctx.config.senderAddress, domain: ctx.config.mailDomain }
  const handover = await ctx.transport.send(composeMail(mail, sender, queuedAt), mail.id, () =>
    note(ctx, mail.id, 'handing_over'),
  )
  if (handover !== 'retry') {
    await note(ctx, mail.id, handover === 'refused' ? 'failed' : handover, 1)
    return {}
  }
  const again = retryDelay(delivery.attempts + 1)
  await note(ctx, mail.id, again === undefined ? 'failed' : 'queued', 1)
  return { again }
}

async function openDelivery(ctx: Context, mail: OutgoingMail, queuedAt: Date): Promise<Delivery> {
  const known = await ctx.deliveries.findById(mail.id).lean()
  if (known !== null) return known
  const delivery: Delivery = {
    _id: mail.id,
    workspaceId: mail.workspaceId,
    state: 'queued',
    attempts: 0,
    createdAt: queuedAt,
    changedAt: queuedAt,
  }
  try {
    await ctx.deliveries.insertOne(delivery)
    return delivery
  } catch (error) {
    if (!isDuplicateKey(error)) throw error
    return ctx.deliveries.findById(mail.id).lean().orFail()
  }
}

async function note(ctx: Context, id: string, state: DeliveryState, attempts = 0): Promise<void> {
  await ctx.deliveries.updateOne({ _id: id }, { $set: { state, changedAt: new Date() }, $inc: { attempts } })
}
