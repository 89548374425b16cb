import { invalidArgument, StatusError } from '@family-inbox/service-kit/rpc/status-error'
import type { Context } from '../context.ts'
import { challengeId, hashCode, type SignInChallenge } from '../models/sign-in-challenge.ts'
import { CODE_TRIES, readCode } from './sign-in-code.ts'

/**
 * Counts a try and redeems a correct code in one atomic update, so concurrent tries cannot exceed the limit.
 * @param sessionId the session it must confirm; absent for a sign-in
 * @returns the proved email
 * @throws StatusError INVALID_ARGUMENT for a wrong code with tries left, FAILED_PRECONDITION when a new code is needed
 */
export async function redeemCode(ctx: Context, challenge: string, typed: string, sessionId?: string): Promise<string> {
  const isRight = { $eq: ['$codeHash', hashCode(challenge, readCode(typed))] }
  const tried = (await ctx.signInChallenges.collection.findOneAndUpdate(
    {
      _id: challengeId(challenge) as never,
      sessionId: sessionId ?? null,
      usedAt: null,
      tries: { $lt: CODE_TRIES },
      $expr: { $gt: ['$expiresAt', '$$NOW'] },
    },
    [{ $set: { tries: { $add: ['$tries', 1] }, usedAt: { $cond: [isRight, '$$NOW', '$$REMOVE'] } } }],
    { returnDocument: 'after' },
  )) as SignInChallenge | null
  if (tried === null) throw newCodeNeeded('This code has expired or was already used.')
  if (tried.usedAt) return tried.email
  const left = CODE_TRIES - tried.tries
  if (left === 0) throw newCodeNeeded('That code wasn’t right either.')
  throw invalidArgument('code', `That code isn’t right. You have ${left === 1 ? '1 try' : `${left} tries`} left.`)
}

function newCodeNeeded(because: string): StatusError {
  return new StatusError('FAILED_PRECONDITION', `${because} Ask for a new one.`, { field: 'code' })
}
