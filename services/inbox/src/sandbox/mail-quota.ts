import type { Context } from '../context.ts'
import type { Inbox } from '../models/message.ts'
import { refusals } from '../smtp/refusals.ts'
import { removeMailOf } from '../storage/remove-mail.ts'
import { type ReadableMail, storeMail } from '../storage/store-mail.ts'

/**
 * Stores a mail in an inbox nobody has claimed yet, within its quota. Room that a delivery took whose end is not known is not
 * given back: the inbox never holds more than it should.
 * @throws Refusal when there is no quota, or the sandbox ended while the mail was being stored
 */
export async function storeWithinQuota(ctx: Context, inbox: Inbox, mail: ReadableMail): Promise<void> {
  const reservation = { addressId: inbox.addressId, bytes: mail.raw.length }
  await reserveQuota(ctx, reservation)
  if (!(await storeMail(ctx, inbox, mail))) await releaseQuota(ctx, reservation)
  await requireNotRemoved(ctx, inbox)
}

/** A sandbox is first marked as removed and then emptied, so either its removal sees this message, or this look the mark. */
async function requireNotRemoved(ctx: Context, { addressId, workspaceId }: Inbox): Promise<void> {
  if (await ctx.inboxAddresses.exists({ _id: addressId, removedAt: null })) return
  await removeMailOf(ctx, [workspaceId])
  throw refusals.unknownRecipient()
}

/** What an inbox nobody has claimed takes: little, but all that a person would want to find in it. */
export const SANDBOX_QUOTA = { messages: 20, bytes: 10 * 1024 * 1024 }

type Reservation = { addressId: string; bytes: number }

/**
 * Takes the quota for one message in an unclaimed sandbox's inbox, in one atomic update. An inbox that has been claimed
 * meanwhile has quota for everything.
 * @throws Refusal when there is too little left, or the sandbox is gone
 */
async function reserveQuota(ctx: Context, { addressId, bytes }: Reservation): Promise<void> {
  const taken = await ctx.inboxAddresses.updateOne(
    { _id: addressId, removedAt: null, 'quota.messages': { $gte: 1 }, 'quota.bytes': { $gte: bytes } },
    { $inc: { 'quota.messages': -1, 'quota.bytes': -bytes } },
  )
  if (taken.matchedCount === 1) return
  const row = await ctx.inboxAddresses.findById(addressId).lean()
  if (row === null || row.removedAt !== undefined) throw refusals.unknownRecipient()
  if (row.quota !== undefined) throw refusals.inboxFull()
}

/** Gives back what a message took that was there already. */
async function releaseQuota(ctx: Context, { addressId, bytes }: Reservation): Promise<void> {
  await ctx.inboxAddresses.updateOne(
    { _id: addressId, quota: { $exists: true } },
    { $inc: { 'quota.messages': 1, 'quota.bytes': bytes } },
  )
}
