import type { StartSignInRequest, StartSignInResponse } from '@family-inbox/proto/auth/v1/auth'
import { clientNetwork } from '@family-inbox/service-kit/http/client-network'
import { type Handler, requireService } from '@family-inbox/service-kit/rpc/call'
import { requireEmail } from '@family-inbox/service-kit/rpc/text-rules'
import { CODES_TO_ADDRESS, CODES_TO_KNOWN_DEVICE, codesFromNetwork, enforceRateLimit } from '../admission/rate-limit.ts'
import type { Context } from '../context.ts'
import { findKnownDevice } from '../sign-in/known-device.ts'
import { mailCode } from '../sign-in/sign-in-code.ts'

/** Looks only for reviewers, so that neither the response nor its timing reveals whether another address is known. */
export function startSignIn(ctx: Context): Handler<StartSignInRequest, StartSignInResponse> {
  return async (request, call) => {
    requireService(call, 'site')
    const email = requireEmail('email', request.email)
    await spendCode(ctx, email, request)
    return { challenge: await mailCode(ctx, email) }
  }
}

/** Strangers share the limits of the address and the network; a known browser has its own. */
async function spendCode(ctx: Context, email: string, { device, clientAddress }: StartSignInRequest): Promise<void> {
  const known = findKnownDevice(ctx.config, device ?? '', email)
  if (known !== undefined) return enforceRateLimit(ctx, CODES_TO_KNOWN_DEVICE, known)
  const fromNetwork = codesFromNetwork(ctx.config)
  if (fromNetwork !== undefined) await enforceRateLimit(ctx, fromNetwork, clientNetwork(clientAddress))
  await enforceRateLimit(ctx, CODES_TO_ADDRESS, email)
}
