import { insertOnce } from '@family-inbox/service-kit/mongo/rows'
import type { Context } from '../context.ts'
import { crashPoint } from '../crash-points.ts'
import { filteredRow } from '../deleting/move-aside.ts'
import type { Message } from '../models/message.ts'
import { isKeptOut } from '../models/sender-filter.ts'

/**
 * Stores a mail in Junk if the family's filter keeps its sender out. A copy of a mail that is in Junk or Deleted already stays there.
 * The sender gets the same answer in each case. Mail in a member's name always arrives.
 * @returns whether it is new in Junk; undefined if it belongs in the inbox
 */
export async function keepOut(ctx: Context, row: Message): Promise<boolean | undefined> {
  const { _id, workspaceId, lovedOneId, from } = row
  const [[filter], [known]] = await Promise.all([ctx.findSenderFilters([workspaceId]), ctx.findMessagesAside([_id])])
  if (known !== undefined) return false
  if (filter === undefined || !isKeptOut(filter, lovedOneId, from.address)) return undefined
  if ((await ctx.findRole(workspaceId, from.address.toLowerCase())) !== undefined) return undefined
  const [isNew = false] = await insertOnce(ctx.messagesAside.collection, [filteredRow(ctx, row)])
  crashPoint('message-kept-out')
  return isNew
}
