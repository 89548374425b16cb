import type { MailConfirmationCodeRequest, MailConfirmationCodeResponse } from '@family-inbox/proto/auth/v1/auth'
import { type Handler, requireService } from '@family-inbox/service-kit/rpc/call'
import { CODES_TO_CONFIRM, enforceRateLimit } from '../admission/rate-limit.ts'
import type { Context } from '../context.ts'
import { requireCodesWork } from '../passkeys/passkey-only.ts'
import { requireSession } from '../sign-in/active-session.ts'
import { mailCode } from '../sign-in/sign-in-code.ts'

export function mailConfirmationCode(ctx: Context): Handler<MailConfirmationCodeRequest, MailConfirmationCodeResponse> {
  return async (request, call) => {
    requireService(call, 'site')
    const { _id, email, personId } = await requireSession(ctx, request.session)
    await requireCodesWork(ctx, personId)
    await enforceRateLimit(ctx, CODES_TO_CONFIRM, _id)
    return { challenge: await mailCode(ctx, email, { sessionId: _id }) }
  }
}
