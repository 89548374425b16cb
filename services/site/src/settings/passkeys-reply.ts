import type { Context } from '../context.ts'
import type { Household } from '../household.ts'
import type { Reply } from '../http/reply.ts'
import type { Visit } from '../http/visit.ts'
import { passkeysPage } from '../pages/settings/passkeys.ts'
import type { FieldErrors } from '../parts/field.ts'
import { asPerson } from '../session.ts'

export type PasskeyForm = { values: { name: string }; errors: FieldErrors }

/** Draws the reader's passkeys as they are now; also after the form was refused, with what was typed and what is wrong. */
export async function passkeysReply(
  ctx: Context,
  visit: Visit,
  household: Household,
  form?: PasskeyForm,
): Promise<Reply> {
  const { passkeys } = await ctx.auth.listPasskeys({}, asPerson(household.session, visit))
  const shown = form ?? { values: { name: visit.kept('name') }, errors: {} }
  return { page: passkeysPage({ household, clock: visit.clock, passkeys, ...shown }), status: form ? 422 : 200 }
}
