import type { StartSignInRequest, StartSignInResponse } from '@family-inbox/proto/auth/v1/auth'
import { type Handler, requireService } from '@family-inbox/service-kit/rpc/call'
import { requireEmail } from '@family-inbox/service-kit/rpc/text-rules'
import { MAILED_CODES, spendTry } from '../admission/spend-try.ts'
import type { Context } from '../context.ts'
import { isAdmitted } from '../sign-in/admitted.ts'
import { mailCode } from '../sign-in/sign-in-code.ts'

/** Every address takes the same steps and gets one mail, so neither the response nor its timing reveals what is known of it. */
export function startSignIn(ctx: Context): Handler<StartSignInRequest, StartSignInResponse> {
  return async (request, call) => {
    requireService(call, 'site')
    const email = requireEmail('email', request.email)
    await spendTry(ctx, MAILED_CODES, email, request)
    const admitted = await isAdmitted(ctx, email, call.deadline)
    return { challenge: await mailCode(ctx, email, { admitted }) }
  }
}
