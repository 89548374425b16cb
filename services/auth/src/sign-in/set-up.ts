import { invalidArgument, StatusError } from '@family-inbox/service-kit/rpc/status-error'
import type { Context } from '../context.ts'
import { SET_UP, type SetUpCode } from '../models/set-up-code.ts'
import { hashRecoveryCode } from '../passkeys/recovery-code.ts'

const TRIES = 5

/** The code, while it can be used. By the database's clock. */
export function validCode() {
  return { _id: SET_UP, usedAt: null, tries: { $lt: TRIES }, $expr: { $gt: ['$expiresAt', '$$NOW'] } }
}

/**
 * Counts a try and uses the code in an atomic update, so that concurrent tries cannot exceed the limit and one of them wins.
 * @throws StatusError INVALID_ARGUMENT for a wrong code, FAILED_PRECONDITION when only a new one helps
 */
export async function useSetUpCode({ setUpCodes }: Pick<Context, 'setUpCodes'>, typed: string): Promise<void> {
  const isRight = { $eq: ['$hash', hashRecoveryCode(SET_UP, typed)] }
  const tried = (await setUpCodes.collection.findOneAndUpdate(
    validCode() as never,
    [{ $set: { tries: { $add: ['$tries', 1] }, usedAt: { $cond: [isRight, '$$NOW', '$$REMOVE'] } } }],
    { returnDocument: 'after' },
  )) as SetUpCode | null
  if (tried === null) throw newCodeNeeded('This code has expired, was used, or was entered wrong too often.')
  if (tried.usedAt) return
  const left = TRIES - tried.tries
  if (left === 0) throw newCodeNeeded('That code wasn’t right either.')
  throw invalidArgument('code', `That code isn’t right. You have ${left === 1 ? '1 try' : `${left} tries`} left.`)
}

/** After a failure on our side. */
export async function releaseSetUpCode({ setUpCodes }: Pick<Context, 'setUpCodes'>): Promise<void> {
  await setUpCodes.updateOne({ _id: SET_UP }, { $unset: { usedAt: 1 }, $inc: { tries: -1 } })
}

function newCodeNeeded(because: string): StatusError {
  return new StatusError('FAILED_PRECONDITION', because, { field: 'code' })
}
