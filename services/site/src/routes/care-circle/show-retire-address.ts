import { requireWriter } from '../../care-circle/owner-rules.ts'
import { readLovedOnes } from '../../care-circle/read-loved-ones.ts'
import type { Context } from '../../context.ts'
import { type HouseholdHandler, requireLovedOne } from '../../household.ts'
import { html } from '../../html.ts'
import { askPage } from '../../pages/care-circle/ask.ts'

/** Asks whether a loved one's address shall really be retired. */
export function showRetireAddress(ctx: Context): HouseholdHandler {
  return async (visit, household) => {
    const { id, name } = requireLovedOne(household, visit.param('id'))
    requireWriter(household)
    const { address } = (await readLovedOnes(ctx, visit, household)).find((one) => one.id === id) ?? {}
    const back = `/care-circle/loved-ones/${id}`
    if (address === undefined) return { redirectTo: back }
    const page = askPage({
      household,
      title: 'Retire this address?',
      question: html`Retire the address of <bdi>${name}</bdi>?`,
      means: [
        html`No mail is taken at <strong><bdi>${address}</bdi></strong> any more, from that moment on. Whoever writes to it is told that there is no such address.`,
        'All mail that has arrived stays, and everybody in your care circle can read it as before.',
        'It cannot be undone: nobody ever gets this address again, not even you. You can get a new one, and then have to tell the clinics and change your forwarding.',
      ],
      action: `/care-circle/loved-ones/${id}/retire`,
      hidden: { address },
      button: 'Retire the address',
      back,
    })
    return { page }
  }
}
