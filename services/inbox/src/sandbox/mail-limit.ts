import type { Context } from '../context.ts'
import type { Inbox } from '../models/message.ts'
import { refusals } from '../smtp/refusals.ts'
import { removeMailOf } from '../storage/remove-mail.ts'
import { type ReadableMail, storeMail } from '../storage/store-mail.ts'

/**
 * Stores a mail in an inbox nobody has claimed yet, within its room. Room that a delivery took whose end is not known is not
 * given back: the inbox never holds more than it should.
 * @throws Refusal when there is no room, or the sandbox ended while the mail was being stored
 */
export async function storeWithinRoom(ctx: Context, inbox: Inbox, mail: ReadableMail): Promise<void> {
  const place = { addressId: inbox.addressId, bytes: mail.raw.length }
  await takeRoom(ctx, place)
  if (!(await storeMail(ctx, inbox, mail))) await giveRoomBack(ctx, place)
  await requireNotRemoved(ctx, inbox)
}

/** A sandbox is first marked as removed and then emptied, so either its removal sees this message, or this look the mark. */
async function requireNotRemoved(ctx: Context, { addressId, workspaceId }: Inbox): Promise<void> {
  if (await ctx.inboxAddresses.exists({ _id: addressId, removedAt: null })) return
  await removeMailOf(ctx, [workspaceId])
  throw refusals.unknownRecipient()
}

/** What an inbox nobody has claimed takes: little, but all that a person would want to find in it. */
export const SANDBOX_ROOM = { messages: 20, bytes: 10 * 1024 * 1024 }

type Place = { addressId: string; bytes: number }

/**
 * Takes the room for one message in an unclaimed sandbox's inbox, in one atomic update. An inbox that has been claimed
 * meanwhile has room for everything.
 * @throws Refusal when there is too little left, or the sandbox is gone
 */
async function takeRoom(ctx: Context, { addressId, bytes }: Place): Promise<void> {
  const taken = await ctx.inboxAddresses.updateOne(
    { _id: addressId, removedAt: null, 'room.messages': { $gte: 1 }, 'room.bytes': { $gte: bytes } },
    { $inc: { 'room.messages': -1, 'room.bytes': -bytes } },
  )
  if (taken.matchedCount === 1) return
  const row = await ctx.inboxAddresses.findById(addressId).lean()
  if (row === null || row.removedAt !== undefined) throw refusals.unknownRecipient()
  if (row.room !== undefined) throw refusals.inboxFull()
}

/** Gives back what a message took that was there already. */
async function giveRoomBack(ctx: Context, { addressId, bytes }: Place): Promise<void> {
  await ctx.inboxAddresses.updateOne(
    { _id: addressId, room: { $exists: true } },
    { $inc: { 'room.messages': 1, 'room.bytes': bytes } },
  )
}
