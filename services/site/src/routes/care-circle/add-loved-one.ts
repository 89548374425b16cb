import { createHash } from 'node:crypto'
import { newId } from '@family-inbox/service-kit/ids'
import type { Context } from '../../context.ts'
import { toFieldErrors } from '../../form-errors.ts'
import type { HouseholdHandler } from '../../household.ts'
import { addLovedOnePage } from '../../pages/care-circle/add-loved-one.ts'
import { asPerson } from '../../session.ts'

/** Adds a loved one to the household and gives them their address. Should that fail, their page offers it. */
export function addLovedOne(ctx: Context): HouseholdHandler {
  return async (visit, household) => {
    const name = visit.field('name').slice(0, 1000)
    const idempotencyKey = visit.field('idempotency_key').slice(0, 200) || newId('form')
    const person = asPerson(household.session, visit)
    try {
      const { lovedOne } = await ctx.careCircle.addLovedOne(
        { name, idempotencyKey: wishOf(idempotencyKey, name) },
        person,
      )
      const id = lovedOne?.id ?? ''
      await ctx.inbox.allocateInboxAddress({ lovedOneId: id }, person)
      return { redirectTo: `/care-circle/loved-ones/${id}`, notice: 'loved-one-added' }
    } catch (error) {
      const errors = toFieldErrors(error, WORDS)
      return { page: addLovedOnePage({ household, values: { name }, idempotencyKey, errors }), status: 422 }
    }
  }
}

/** Names what was asked for: who goes back in the browser and types another name adds another person. */
function wishOf(form: string, name: string): string {
  return createHash('sha256').update(`${form}\n${name}`).digest('hex')
}

const WORDS = { name: 'Type the name of the person you care for, up to 120 characters' }
