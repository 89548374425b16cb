import { passkeyOptions } from '../../confirm/passkey-options.ts'
import type { Context } from '../../context.ts'
import { asPerson, type SignedInHandler } from '../../session.ts'

/** Answers the script with what it needs to create a passkey for the reader. */
export function beginAddPasskey(ctx: Context): SignedInHandler {
  return async (visit, session) => passkeyOptions(await ctx.auth.beginAddPasskey({}, asPerson(session, visit)))
}
