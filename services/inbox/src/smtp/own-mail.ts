import type { Context } from '../context.ts'
import type { ParsedMessage } from '../mail/parsed-message.ts'
import type { Inbox } from '../models/message.ts'
import { findInbox } from './accept-recipient.ts'

/**
 * Whether this is mail that we sent for this very family and that somebody's rule forwarded back: a reply, a notification, an
 * invitation or a sign-in code. Taken in, it would cause the next one, or show everybody a code that is for one person.
 * Test mail is meant to arrive, and so is another family's reply.
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

/** The shape of outgoing/compose.ts: nobody else's programs make such ids on our domain. */
const OWN_ID = /^<[0-9a-f]{40}@/
