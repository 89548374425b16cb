import { StatusError } from '@family-inbox/service-kit/status-error'
import type { Context } from '../context.ts'
import type { Household, LovedOne } from '../household.ts'
import type { Visit } from '../http/visit.ts'
import { asPerson } from '../session.ts'

/** A code for an agency that nobody has used yet. The code itself was shown once. */
export type Code = { id: string; lovedOne: LovedOne; ending: string; expiresAt: Date | undefined }

/** The household's codes that can still be used, newest first. */
export async function readCodes(ctx: Context, visit: Visit, { session, lovedOnes }: Household): Promise<Code[]> {
  const { codes } = await ctx.careCircle.listProviderCodes({ lovedOneId: '' }, asPerson(session, visit))
  return codes.flatMap(({ id, lovedOneId, ending, expiresAt }) => {
    const lovedOne = lovedOnes.find((one) => one.id === lovedOneId)
    return lovedOne ? [{ id, lovedOne, ending, expiresAt }] : []
  })
}

/**
 * The code an address of ours names.
 * @throws StatusError NOT_FOUND, alike for another family's, one that was used, and one that never was
 */
export function requireCode(codes: Code[], id: string): Code {
  const code = codes.find((one) => one.id === id)
  if (code !== undefined) return code
  throw new StatusError(
    'NOT_FOUND',
    'There is no unused code at this address. It may have been used, or its time was up.',
  )
}
