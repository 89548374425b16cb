import { passkeyOptions } from '../../confirm/passkey-options.ts'
import type { Context } from '../../context.ts'
import { asSite, type SignedInHandler } from '../../session.ts'

/** Answers the script with what it needs to ask for one of the reader's passkeys. */
export function beginPasskeyConfirmation(ctx: Context): SignedInHandler {
  return async (visit) =>
    passkeyOptions(await ctx.auth.beginPasskey({ session: visit.cookies.session, browser: '' }, asSite(visit)))
}
