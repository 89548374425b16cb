import type { Context } from '../../context.ts'
import type { SignedInHandler } from '../../session.ts'
import { deleteAccountReply } from '../../settings/delete-account-reply.ts'

/** Asks whether the account shall really go, and says what goes with it. */
export function showDeleteAccount(ctx: Context): SignedInHandler {
  return (visit, session) => deleteAccountReply(ctx, visit, session)
}
