import type { Context } from './context.ts'
import type { Household } from './household.ts'
import type { Reply } from './http/reply.ts'
import type { Visit } from './http/visit.ts'
import { careCirclePage } from './pages/care-circle.ts'
import type { FieldErrors } from './parts/field.ts'
import { asPerson } from './session.ts'

export type CareCircleForm = { values: { name: string }; errors: FieldErrors }

/** Draws the care circle as it is now; also after a form on it was refused, with what was typed and what is wrong. */
export async function careCircleReply(
  ctx: Context,
  visit: Visit,
  household: Household,
  form?: CareCircleForm,
): Promise<Reply> {
  const { addresses } = await ctx.inbox.listInboxAddresses({}, asPerson(household.session, visit))
  const addressOf = new Map(addresses.map(({ lovedOneId, address }) => [lovedOneId, address]))
  const page = careCirclePage({
    household,
    lovedOnes: household.lovedOnes.map((one) => ({ ...one, address: addressOf.get(one.id) })),
    connectUrl: `${ctx.config.urls.base}/getting-started`,
    ...(form ?? { values: { name: '' }, errors: {} }),
  })
  return { page, status: form ? 422 : 200 }
}
