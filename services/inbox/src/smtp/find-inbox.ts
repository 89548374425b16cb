import type { Context } from '../context.ts'
import { inTime } from '../in-time.ts'
import type { InboxAddress } from '../models/inbox-address.ts'
import { localPartOf, type RecipientInbox } from './recipient.ts'

const LOOKUP_MS = 1500

/**
 * The inbox an envelope recipient belongs to. The same look-up whether or not there is one, so its time tells nothing.
 * @throws when that cannot be told within 1.5 s
 */
export async function findInbox(ctx: Context, recipient: string): Promise<RecipientInbox | undefined> {
  const localPart = localPartOf(recipient, ctx.config.mailDomain)
  if (localPart === undefined) return undefined
  const fields = { workspaceId: 1, lovedOneId: 1, room: 1 }
  const lookup = ctx.inboxAddresses.collection.findOne(
    { localPart, removedAt: null, retiredAt: null },
    { projection: fields },
  )
  const row = await inTime(LOOKUP_MS, lookup)
  if (row === null) return undefined
  const { workspaceId, lovedOneId, room } = row as unknown as InboxAddress
  return { workspaceId, lovedOneId, addressId: String(row._id), room }
}
