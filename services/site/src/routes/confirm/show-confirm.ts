import { confirmReply } from '../../confirm/confirm-reply.ts'
import type { Context } from '../../context.ts'
import type { SignedInHandler } from '../../session.ts'

/** Asks the reader to confirm that it is them, by a passkey of theirs or a code. */
export function showConfirm(ctx: Context): SignedInHandler {
  return (visit, session) => confirmReply(ctx, visit, session)
}
