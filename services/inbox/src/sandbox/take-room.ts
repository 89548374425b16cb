import type { Context } from '../context.ts'
import { refusals } from '../smtp/refusals.ts'

/** What an inbox nobody has claimed takes: little, but all that a person would want to find in it. */
export const SANDBOX_ROOM = { messages: 20, bytes: 10 * 1024 * 1024 }

type Place = { addressId: string; bytes: number }

/**
 * Takes the room for one message in an unclaimed sandbox's inbox, in one atomic update. An inbox that has been claimed
 * meanwhile has room for everything.
 * @throws Refusal when there is too little left, or the sandbox is gone
 */
export async function takeRoom(ctx: Context, { addressId, bytes }: Place): Promise<void> {
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
export async function giveRoomBack(ctx: Context, { addressId, bytes }: Place): Promise<void> {
  await ctx.inboxAddresses.updateOne(
    { _id: addressId, room: { $exists: true } },
    { $inc: { 'room.messages': 1, 'room.bytes': bytes } },
  )
}
