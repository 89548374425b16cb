import { consentReply } from '../consent-reply.ts'
import type { Context } from '../context.ts'
import type { SignedInHandler } from '../session.ts'

/** Shows what an application asks for. */
export function showConsent(ctx: Context): SignedInHandler {
  return (visit, session) => consentReply(ctx, visit, session)
}
