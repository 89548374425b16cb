import type { Context } from '../context.ts'
import { challengeId, hashCode } from '../models/sign-in-challenge.ts'
import { newSecret } from '../secret.ts'
import { CODE_LIFETIME_MS, codeMail, newCode } from './sign-in-code.ts'

/**
 * Mails a one-time code and returns the challenge the browser must keep.
 * @param sessionId the session it confirms; absent for a sign-in
 */
export async function mailCode(ctx: Context, email: string, sessionId?: string): Promise<string> {
  const challenge = newSecret()
  const code = newCode()
  const createdAt = new Date()
  await ctx.signInChallenges.insertOne({
    _id: challengeId(challenge),
    email,
    ...(sessionId !== undefined && { sessionId }),
    codeHash: hashCode(challenge, code),
    tries: 0,
    createdAt,
    expiresAt: new Date(createdAt.getTime() + CODE_LIFETIME_MS),
  })
  const id = `sign-in-${challengeId(challenge).slice(0, 32)}`
  await ctx.mailQueue.send(codeMail({ id, address: email, code, confirms: sessionId !== undefined }))
  return challenge
}
