import { StatusError } from '@family-inbox/service-kit/status-error'
import type { Context } from '../../context.ts'
import type { HouseholdHandler } from '../../household.ts'
import { asPerson } from '../../session.ts'
import { passkeysReply } from '../../settings/passkeys-reply.ts'

/** Keeps the passkey that the reader's browser has just created. */
export function addPasskey(ctx: Context): HouseholdHandler {
  return async (visit, household) => {
    const name = visit.field('name').slice(0, 300)
    const passkey = { ceremony: visit.field('ceremony'), response: visit.field('response') }
    try {
      await ctx.auth.addPasskey({ name, passkey }, asPerson(household.session, visit))
      return { redirectTo: '/settings/passkeys', notice: 'passkey-added' }
    } catch (error) {
      return passkeysReply(ctx, visit, household, { values: { name }, errors: explain(error) })
    }
  }
}

function explain(error: unknown): Record<string, string> {
  if (!(error instanceof StatusError)) throw error
  const { status, detail, message } = error
  if (status === 'INVALID_ARGUMENT' && detail.field === 'name') return { name: 'Enter a name, in up to 80 characters' }
  if (status === 'INVALID_ARGUMENT' && detail.field === 'passkey') return { name: 'No passkey was created. Try again.' }
  if (status === 'FAILED_PRECONDITION') return { name: message }
  throw error
}
