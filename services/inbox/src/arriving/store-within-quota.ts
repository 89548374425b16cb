import { deleteOwned } from '@family-inbox/workspace-kit/row-schema'
import type { Context } from '../context.ts'
import type { Inbox } from '../models/message.ts'
import { refusals } from './refusals.ts'
import { type Arriving, type ReadableMail, storeMail } from './store-mail.ts'

export const SANDBOX_QUOTA = { messages: 20, bytes: 10 * 1024 * 1024 }

/** A failed delivery keeps its reservation, so the inbox never exceeds the quota. */
export async function storeWithinQuota(ctx: Arriving, inbox: Inbox, mail: ReadableMail): Promise<void> {
  const reservation = { addressId: inbox.addressId, bytes: mail.raw.length }
  await reserveQuota(ctx, reservation)
  if (!(await storeMail(ctx, inbox, mail))) await releaseQuota(ctx, reservation)
  await requireNotRemoved(ctx, inbox)
}

/** A sandbox is marked removed before it is emptied: its removal sees this message, or this check sees the mark. */
async function requireNotRemoved(ctx: Context, { addressId, workspaceId }: Inbox): Promise<void> {
  if (await ctx.inboxAddresses.exists({ _id: addressId, removedAt: null })) return
  await deleteOwned(ctx.connection, 'workspaceId', [workspaceId])
  throw refusals.unknownRecipient()
}

type Reservation = { addressId: string; bytes: number }

/** A claimed inbox has no limit. */
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

async function releaseQuota(ctx: Context, { addressId, bytes }: Reservation): Promise<void> {
  await ctx.inboxAddresses.updateOne(
    { _id: addressId, quota: { $exists: true } },
    { $inc: { 'quota.messages': 1, 'quota.bytes': bytes } },
  )
}
