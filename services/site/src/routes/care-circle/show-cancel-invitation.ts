import { requireWriter } from '../../care-circle/owner-rules.ts'
import { readCircle, requireInvited } from '../../care-circle/read-circle.ts'
import type { Context } from '../../context.ts'
import type { HouseholdHandler } from '../../household.ts'
import { html } from '../../html.ts'
import { askPage } from '../../pages/care-circle/ask.ts'

/** Asks whether an invitation shall really be taken back. */
export function showCancelInvitation(ctx: Context): HouseholdHandler {
  return async (visit, household) => {
    const { id, email } = requireInvited(await readCircle(ctx, visit, household), visit.param('id'))
    requireWriter(household)
    const page = askPage({
      household,
      title: 'Take the invitation back?',
      question: html`Take back the invitation to <bdi>${email}</bdi>?`,
      means: ['The link in their mail stops working at once. They are not told. You can invite them again.'],
      action: `/care-circle/invitations/${id}/cancel`,
      button: 'Take it back',
      back: `/care-circle/invitations/${id}`,
    })
    return { page }
  }
}
