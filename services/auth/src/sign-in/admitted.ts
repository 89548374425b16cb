import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import type { Context } from '../context.ts'

/**
 * Whether this address may sign in: everyone's while sign-up is open, else that of a member of a family, and while people may still be
 * invited, one with an open invitation. Asks the same of every address.
 */
export async function isAdmitted(
  { readSwitches, careCircle }: Pick<Context, 'readSwitches' | 'careCircle'>,
  email: string,
  deadline: number,
): Promise<boolean> {
  const { signUp } = await readSwitches()
  if (signUp === 'open') return true
  const { member, invited } = await careCircle.checkAddress({ email }, { deadline })
  return member || (invited && signUp === 'invited')
}

/** For someone who proved the address, and may learn it. */
export function notAdmitted(): StatusError {
  const message = 'This address can’t sign in: it is not in a family here, or no longer.'
  return new StatusError('FAILED_PRECONDITION', message, { field: 'code' })
}
