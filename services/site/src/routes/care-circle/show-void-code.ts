import { requireWriter } from '../../care-circle/owner-rules.ts'
import { readCodes, requireCode } from '../../care-circle/read-codes.ts'
import type { Context } from '../../context.ts'
import type { HouseholdHandler } from '../../household.ts'
import { html } from '../../html.ts'
import { askPage } from '../../pages/care-circle/ask.ts'

/** Asks whether a code shall really be made worthless. */
export function showVoidCode(ctx: Context): HouseholdHandler {
  return async (visit, household) => {
    const { id, ending, lovedOne } = requireCode(await readCodes(ctx, visit, household), visit.param('id'))
    requireWriter(household)
    const page = askPage({
      household,
      title: 'Void this code?',
      question: html`Void the code ending in ${ending}?`,
      means: [
        html`It is for <bdi>${lovedOne.name}</bdi>, and nobody has used it. From that moment on it is worthless. An agency that is linked already stays linked.`,
      ],
      action: `/care-circle/codes/${id}/void`,
      button: 'Void the code',
      back: '/care-circle',
    })
    return { page }
  }
}
