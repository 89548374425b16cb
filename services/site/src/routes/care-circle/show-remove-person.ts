import { requireOwner } from '../../care-circle/owner-rules.ts'
import { readCircle, requirePerson } from '../../care-circle/read-circle.ts'
import type { Context } from '../../context.ts'
import type { HouseholdHandler } from '../../household.ts'
import { html } from '../../html.ts'
import { askPage } from '../../pages/care-circle/ask.ts'

/** Asks whether somebody shall really be removed. */
export function showRemovePerson(ctx: Context): HouseholdHandler {
  return async (visit, household) => {
    const { id, name, isReader } = requirePerson(await readCircle(ctx, visit, household), visit.param('id'))
    if (isReader) return { redirectTo: '/care-circle/leave' }
    requireOwner(household)
    const page = askPage({
      household,
      title: 'Remove from the care circle?',
      question: html`Remove <bdi>${name}</bdi> from the care circle?`,
      means: [
        'They see nothing of it from that moment on: no mail, no timeline, no people. Their assistants and tool keys stop working here too.',
        'Invitations they sent and codes they made end, where nobody has used them yet. What they forwarded and replied stays.',
        'Nobody is told. You can invite them again.',
      ],
      action: `/care-circle/people/${id}/remove`,
      button: 'Remove them',
      back: `/care-circle/people/${id}`,
    })
    return { page }
  }
}
