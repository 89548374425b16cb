import type { Context } from '../context.ts'
import type { Inbox } from '../models/message.ts'
import { refusals } from '../smtp/refusals.ts'
import { type ReadableMail, storeMail } from '../smtp/store-mail.ts'
import { removeMailOf } from './remove-mail.ts'
import { giveRoomBack, takeRoom } from './take-room.ts'

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
