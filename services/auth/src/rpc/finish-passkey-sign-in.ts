import type { FinishPasskeySignInRequest, FinishPasskeySignInResponse } from '@family-inbox/proto/auth/v1/auth'
import { type Handler, requireService } from '@family-inbox/service-kit/rpc/call'
import type { Context } from '../context.ts'
import { notAccepted, verifyPasskey } from '../passkeys/verify-passkey.ts'
import { isAdmitted } from '../sign-in/admitted.ts'
import { beginSession } from '../sign-in/begin-session.ts'
import { rememberDevice } from '../sign-in/known-device.ts'

/** Needs no mail and has no rate limit, so that strangers cannot block it. */
export function finishPasskeySignIn(ctx: Context): Handler<FinishPasskeySignInRequest, FinishPasskeySignInResponse> {
  return async (request, call) => {
    requireService(call, 'site')
    const { browser, passkey, userAgent, device } = request
    const { personId } = await verifyPasskey(ctx, passkey, { purpose: 'sign-in', holder: browser })
    const person = await ctx.people.findById(personId).lean()
    if (person === null || !(await isAdmitted(ctx, person.email, call.deadline))) throw notAccepted()
    const { secret, endsAt } = await beginSession(ctx, person, userAgent, 'passkey')
    return { session: secret, expiresAt: endsAt, device: rememberDevice(ctx.config, device ?? '', person.email) }
  }
}
