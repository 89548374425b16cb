import { RECENT_SIGN_IN_MS } from '@family-inbox/service-kit/rpc/recent-sign-in'
import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import type { Context } from '../context.ts'
import { requireSession } from './active-session.ts'

export type Operator = {
  personId: string
  /** Whether a passkey confirmed this session recently. A code by mail is not enough: whoever reads the mailbox is not the operator. */
  isConfirmed: boolean
}

/** Whose session it is, if they are an operator. Where there is no operator's page, nobody is. */
export async function findOperator(ctx: Context, session: string): Promise<Operator | undefined> {
  if (!ctx.config.hasOperatorPage) return undefined
  const { personId, passkeyAt } = await requireSession(ctx, session)
  const person = await ctx.people
    .findOne({ _id: personId, operatorSince: { $ne: null } }, { passkeysChangedAt: 1 })
    .lean()
  return person === null ? undefined : { personId, isConfirmed: isRecent(passkeyAt, person.passkeysChangedAt) }
}

/** A passkey that was removed since may be the one that was used. */
function isRecent(passkeyAt: Date | undefined, changedAt = new Date(0)): boolean {
  return passkeyAt !== undefined && passkeyAt > changedAt && Date.now() - passkeyAt.getTime() < RECENT_SIGN_IN_MS
}

/** @throws StatusError NOT_FOUND, the same for everyone else, or UNAUTHENTICATED without a recent passkey */
export async function requireOperator(ctx: Context, session: string): Promise<Operator> {
  const operator = await findOperator(ctx, session)
  if (operator === undefined) throw new StatusError('NOT_FOUND', 'There is no page at this address.')
  if (operator.isConfirmed) return operator
  throw new StatusError('UNAUTHENTICATED', 'Use your passkey to confirm that it is you.', { field: 'passkeyAt' })
}
