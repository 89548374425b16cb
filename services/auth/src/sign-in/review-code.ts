import { createHmac } from 'node:crypto'
import { invalidArgument } from '@family-inbox/service-kit/rpc/status-error'
import { DAY_MS } from '@family-inbox/service-kit/time/days'
import type { Config } from '../config.ts'
import type { Context } from '../context.ts'

const LIFETIME_MS = 30 * DAY_MS

/**
 * Reviewers of directories cannot read mail, so the operator gives them a code that stays the same. Tries are counted and limited as those of
 * mailed codes.
 * @throws StatusError INVALID_ARGUMENT
 */
export function forReview({ config }: Pick<Context, 'config'>, code: string): { reviewCodeMac: string; endsAt: Date } {
  if (!/^\d{8}$/.test(code)) throw invalidArgument('reviewCode', 'reviewCode must be eight digits.')
  return { reviewCodeMac: reviewCodeMac(config, code), endsAt: new Date(Date.now() + LIFETIME_MS) }
}

/** With a key: there are too few codes for a hash to hide one. */
export function reviewCodeMac({ reviewKey }: Pick<Config, 'reviewKey'>, code: string): string {
  return createHmac('sha256', reviewKey).update(code).digest('hex')
}

/** How an address signs in, in one read for all: by a mailed code, by a reviewer's code, or by a passkey only. */
export async function findSignInWay(
  { people }: Pick<Context, 'people'>,
  email: string,
): Promise<{ reviewMac?: string | undefined; isPasskeyOnly: boolean }> {
  const person = await people.findOne({ email }, { reviewCodeMac: 1, endsAt: 1, passkeyOnlySince: 1 }).lean()
  const isPasskeyOnly = person?.passkeyOnlySince !== undefined
  const isReviewer = !isPasskeyOnly && person?.endsAt !== undefined && person.endsAt.getTime() > Date.now()
  return { reviewMac: isReviewer ? person.reviewCodeMac : undefined, isPasskeyOnly }
}
