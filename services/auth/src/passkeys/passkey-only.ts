import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import type { ClientSession } from 'mongoose'
import type { Context } from '../context.ts'

/** Whether mailed codes neither sign this person in nor confirm for them. */
export async function isPasskeyOnly({ people }: Pick<Context, 'people'>, personId: string): Promise<boolean> {
  const person = await people.findById(personId, { passkeyOnlySince: 1 }).lean()
  return person?.passkeyOnlySince !== undefined
}

/** @throws StatusError FAILED_PRECONDITION when a mailed code would confirm for an account that refuses codes */
export async function requireCodesWork(ctx: Context, personId: string): Promise<void> {
  if (await isPasskeyOnly(ctx, personId)) throw passkeyOnly()
}

export function passkeyOnly(): StatusError {
  return new StatusError(
    'FAILED_PRECONDITION',
    'This account accepts passkeys only. Use a passkey. If you lost yours, sign out and sign in with a recovery code.',
    { field: 'code' },
  )
}

/** So that one lost device locks nobody out. @throws StatusError FAILED_PRECONDITION with `advice` */
export async function requireWayBack(
  { passkeys, recoverySheets }: Context,
  personId: string,
  advice: string,
  session: ClientSession,
): Promise<void> {
  const count = await passkeys.countDocuments({ personId }).session(session)
  if (count >= 2) return
  const sheet = count === 1 ? await recoverySheets.findById(personId, { hashes: 1 }).session(session).lean() : null
  if (sheet === null || sheet.hashes.length === 0)
    throw new StatusError('FAILED_PRECONDITION', advice, { field: 'passkeyOnly' })
}
