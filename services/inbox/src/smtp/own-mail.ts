import type { Context } from '../context.ts'
import type { ParsedMessage } from '../mail/parsed-message.ts'
import type { Inbox } from '../models/message.ts'
import { findInbox } from './accept-recipient.ts'

/**
 * Whether this is our own mail to the same family, forwarded back by a rule. Storing it could start a loop or show
 * everyone a sign-in code. Test mail and other families' replies are not.
 */
export async function isOwnMail(
  ctx: Context,
  { workspaceId, lovedOneId }: Omit<Inbox, 'addressId'>,
  { messageId, replyTo }: ParsedMessage,
): Promise<boolean> {
  if (messageId === undefined || !OWN_ID.test(messageId) || !messageId.endsWith(`@${ctx.config.mailDomain}>`))
    return false
  if (await ctx.testMails.exists({ workspaceId, lovedOneId, messageIdHeader: messageId })) return false
  const answersGoTo = replyTo && (await findInbox(ctx, replyTo.address))
  return answersGoTo === undefined || answersGoTo.workspaceId === workspaceId
}

/** The format of outgoing/compose.ts. */
const OWN_ID = /^<[0-9a-f]{40}@/
