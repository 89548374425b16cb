import type { StartSignInRequest, StartSignInResponse } from '@family-inbox/proto/auth/v1/auth'
import { clientNetwork } from '@family-inbox/service-kit/client-network'
import { type Handler, requireService } from '@family-inbox/service-kit/rpc/call'
import { requireEmail } from '@family-inbox/service-kit/text-rules'
import type { Context } from '../context.ts'
import { CODES_FROM_NETWORK, CODES_TO_ADDRESS } from '../limits/limits.ts'
import { spendFromLimit } from '../limits/rate-limit.ts'
import { challengeId, hashCode } from '../models/sign-in-challenge.ts'
import { newSecret } from '../secret.ts'
import { CODE_LIFETIME_MS, newCode } from '../sign-in/sign-in-code.ts'
import { signInMail } from '../sign-in/sign-in-mail.ts'

/**
 * Mails a one-time code and answers with the challenge the browser keeps, without which the code is worth nothing. Nobody is
 * looked up here, so that neither the answer nor its time can say whether the address is known.
 */
export function startSignIn(ctx: Context): Handler<StartSignInRequest, StartSignInResponse> {
  return async (request, call) => {
    requireService(call, 'site')
    const email = requireEmail('email', request.email)
    await spendFromLimit(ctx, CODES_FROM_NETWORK, clientNetwork(request.clientAddress))
    await spendFromLimit(ctx, CODES_TO_ADDRESS, email)
    const challenge = newSecret()
    const code = newCode()
    await keep(ctx, challenge, code, email)
    await ctx.mailQueue.send(signInMail(`sign-in-${challengeId(challenge).slice(0, 32)}`, email, code))
    return { challenge }
  }
}

async function keep(ctx: Context, challenge: string, code: string, email: string): Promise<void> {
  const createdAt = new Date()
  await ctx.signInChallenges.insertOne({
    _id: challengeId(challenge),
    email,
    codeHash: hashCode(challenge, code),
    tries: 0,
    createdAt,
    expiresAt: new Date(createdAt.getTime() + CODE_LIFETIME_MS),
  })
}
