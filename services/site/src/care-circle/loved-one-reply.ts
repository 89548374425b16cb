import type { Context } from '../context.ts'
import { type Household, requireLovedOne } from '../household.ts'
import type { Reply } from '../http/reply.ts'
import type { Visit } from '../http/visit.ts'
import { lovedOnePage } from '../pages/care-circle/loved-one.ts'
import type { FieldErrors } from '../parts/field.ts'
import { readLovedOnes } from './read-loved-ones.ts'

export type RenameForm = { values: { name: string }; errors: FieldErrors }

/** Draws a loved one as they are now; also after their new name was refused. */
export async function lovedOneReply(
  ctx: Context,
  visit: Visit,
  household: Household,
  form?: RenameForm,
): Promise<Reply> {
  const found = requireLovedOne(household, visit.param('id'))
  const addressed = await readLovedOnes(ctx, visit, household)
  const lovedOne = addressed.find(({ id }) => id === found.id) ?? found
  const { values, errors } = form ?? { values: { name: found.name }, errors: {} }
  return { page: lovedOnePage({ household, lovedOne, values, errors }), status: form ? 422 : 200 }
}
