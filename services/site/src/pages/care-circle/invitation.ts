import type { Invited } from '../../care-circle/read-circle.ts'
import type { Household } from '../../household.ts'
import { html } from '../../html.ts'
import type { ReaderClock } from '../../http/reader-clock.ts'
import { type Page, roomPage } from '../../layout/page.ts'
import { dayOf } from '../../parts/moment.ts'
import { roleWords } from '../../parts/role.ts'

export type InvitedPersonData = { household: Household; clock: ReaderClock; invitation: Invited }

/** An invitation nobody has answered: send it again, or take it back. */
export function invitedPersonPage({ household, clock, invitation }: InvitedPersonData): Page {
  const { id, email, role, relationship, expiresAt } = invitation
  return roomPage(
    { place: 'care-circle', household },
    {
      title: 'An open invitation',
      main: html`<p class="up"><a href="/care-circle">Care circle</a></p>
<h1><bdi>${email}</bdi></h1>
<p>Invited, and has not answered yet.</p>
<dl class="facts">
<div><dt>Once they accept</dt><dd class="capital">${roleWords(role).name}: ${roleWords(role).can}</dd></div>
${relationship !== '' && html`<div><dt>To the person cared for</dt><dd class="capital"><bdi>${relationship}</bdi></dd></div>`}
${expiresAt && html`<div><dt>Good until</dt><dd>${dayOf(expiresAt, clock)}</dd></div>`}
</dl>
<form method="post" action="/care-circle/invitations/${id}/resend">
<p class="hint" id="resend-hint">They get a new mail with a new link, good for 14 more days. The link before it stops working.</p>
<div class="row"><button aria-describedby="resend-hint">Send it again</button> <a href="/care-circle/invitations/${id}/cancel">Take the invitation back</a></div>
</form>`,
    },
  )
}
