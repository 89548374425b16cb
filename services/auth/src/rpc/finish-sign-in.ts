import type { FinishSignInRequest, FinishSignInResponse } from '@family-inbox/proto/auth/v1/auth'
import { type Handler, requireService } from '@family-inbox/service-kit/rpc/call'
import type { Context } from '../context.ts'
import { beginSession } from '../sign-in/begin-session.ts'
import { findOrCreatePerson } from '../sign-in/find-or-create-person.ts'
import { rememberDevice } from '../sign-in/known-device.ts'
import { redeemCode } from '../sign-in/redeem-code.ts'

/** Turns a mailed code into a session, and creates a person for a new address. */
export function finishSignIn(ctx: Context): Handler<FinishSignInRequest, FinishSignInResponse> {
  return async (request, call) => {
    requireService(call, 'site')
    const email = await redeemCode(ctx, request.challenge, request.code)
    const person = await findOrCreatePerson(ctx, email)
    const { secret, endsAt } = await beginSession(ctx, person, request.userAgent)
    return { session: secret, expiresAt: endsAt, device: rememberDevice(ctx.config, request.device ?? '', email) }
  }
}
