import { isOnlyOwner } from '../../care-circle/owner-rules.ts'
import { readCircle, requirePerson } from '../../care-circle/read-circle.ts'
import type { Context } from '../../context.ts'
import type { HouseholdHandler } from '../../household.ts'
import { html } from '../../html.ts'
import { askPage } from '../../pages/care-circle/ask.ts'
import { personPage } from '../../pages/care-circle/person.ts'

/** Asks whether the reader really wants to leave; the only owner is shown why they cannot. */
export function showLeave(ctx: Context): HouseholdHandler {
  return async (visit, household) => {
    const circle = await readCircle(ctx, visit, household)
    const { people } = circle
    const reader = requirePerson(circle, household.session.personId)
    if (isOnlyOwner(reader, people))
      return { page: personPage({ household, clock: visit.clock, person: reader, people }) }
    const page = askPage({
      household,
      title: 'Leave this care circle?',
      question: html`Leave <bdi>${household.name}</bdi>?`,
      means: [
        'You see nothing of it from that moment on: no mail, no timeline, no people. Your assistants and tool keys stop working here too.',
        'Invitations you sent and codes you made end, where nobody has used them yet. What you forwarded and replied stays.',
        'You come back only if somebody invites you again.',
      ],
      action: '/care-circle/leave',
      button: 'Leave',
      back: '/care-circle',
    })
    return { page }
  }
}
