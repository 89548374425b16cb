import type { ConfirmSessionRequest, ConfirmSessionResponse } from '@family-inbox/proto/auth/v1/auth'
import { type Handler, requireService } from '@family-inbox/service-kit/rpc/call'
import type { Context } from '../context.ts'
import { requireCodesWork } from '../passkeys/passkey-only.ts'
import { verifyPasskey } from '../passkeys/verify-passkey.ts'
import { requireSession } from '../sign-in/active-session.ts'
import { redeemCode } from '../sign-in/sign-in-code.ts'

export function confirmSession(ctx: Context): Handler<ConfirmSessionRequest, ConfirmSessionResponse> {
  return async ({ session, challenge, code, passkey }, call) => {
    requireService(call, 'site')
    const { _id, personId } = await requireSession(ctx, session)
    if (passkey === undefined) {
      await requireCodesWork(ctx, personId)
      await redeemCode(ctx, challenge, code, _id)
    } else await verifyPasskey(ctx, passkey, { purpose: 'confirm', holder: _id, personId })
    const now = new Date()
    await ctx.sessions.updateOne({ _id }, { verifiedAt: now, ...(passkey && { passkeyAt: now }) })
    return {}
  }
}
