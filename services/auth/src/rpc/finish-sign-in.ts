import type { FinishSignInRequest, FinishSignInResponse } from '@family-inbox/proto/auth/v1/auth'
import { type Handler, requireService } from '@family-inbox/service-kit/rpc/call'
import { invalidArgument, StatusError } from '@family-inbox/service-kit/status-error'
import type { Context } from '../context.ts'
import { challengeId, hashCode, type SignInChallenge } from '../models/sign-in-challenge.ts'
import { beginSession } from '../sign-in/begin-session.ts'
import { findOrCreatePerson } from '../sign-in/find-or-create-person.ts'
import { CODE_TRIES, readCode } from '../sign-in/sign-in-code.ts'

/**
 * Turns the mailed code into a session, in the browser that asked for it. Whoever proves an address nobody has signed in
 * with before becomes a person here.
 */
export function finishSignIn(ctx: Context): Handler<FinishSignInRequest, FinishSignInResponse> {
  return async (request, call) => {
    requireService(call, 'site')
    const email = await redeemCode(ctx, request.challenge, readCode(request.code))
    const person = await findOrCreatePerson(ctx, email)
    const { secret, endsAt } = await beginSession(ctx, person, request.userAgent)
    return { session: secret, expiresAt: endsAt }
  }
}

/** Counts the try and, if the code is right, uses it up, in one atomic update: no two tries and no two uses slip through together. */
async function redeemCode(ctx: Context, challenge: string, code: string): Promise<string> {
  const isRight = { $eq: ['$codeHash', hashCode(challenge, code)] }
  const tried = (await ctx.signInChallenges.collection.findOneAndUpdate(
    {
      _id: challengeId(challenge) as never,
      usedAt: null,
      tries: { $lt: CODE_TRIES },
      $expr: { $gt: ['$expiresAt', '$$NOW'] },
    },
    [{ $set: { tries: { $add: ['$tries', 1] }, usedAt: { $cond: [isRight, '$$NOW', '$$REMOVE'] } } }],
    { returnDocument: 'after' },
  )) as SignInChallenge | null
  if (tried === null) throw askForAnother('This code has expired or was used already.')
  if (tried.usedAt) return tried.email
  const left = CODE_TRIES - tried.tries
  if (left === 0) throw askForAnother('That code was not right either.')
  throw invalidArgument('code', `That code is not right. You can try ${left === 1 ? 'once' : `${left} times`} more.`)
}

function askForAnother(because: string): StatusError {
  return new StatusError('FAILED_PRECONDITION', `${because} Ask for a new one.`, { field: 'code' })
}
