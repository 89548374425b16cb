import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import type { Context } from '../context.ts'
import { passkeyOptions } from '../shell/passkey-form.ts'
import { asSite, type SignedInHandler } from '../shell/session.ts'
import { confirmed, confirmReply } from './confirm.ts'

/** Starts a passkey confirmation. */
export function beginPasskeyConfirmation(ctx: Context): SignedInHandler {
  return async (visit) =>
    passkeyOptions(await ctx.auth.beginPasskey({ session: visit.cookies.session, browser: '' }, asSite(visit)))
}

/** Confirms with a passkey and returns to the original page. */
export function confirmWithPasskey(ctx: Context): SignedInHandler {
  return async (visit, session) => {
    const passkey = { ceremony: visit.field('ceremony'), response: visit.field('response') }
    const request = { session: visit.cookies.session, challenge: '', code: '', passkey }
    try {
      await ctx.auth.confirmSession(request, asSite(visit))
      return confirmed(visit)
    } catch (error) {
      if (error instanceof StatusError && error.detail.field === 'passkey')
        return confirmReply(ctx, visit, session, error.message)
      throw error
    }
  }
}
