import type { Invited } from '../../care-circle/read-circle.ts'
import { type Html, html } from '../../html.ts'
import type { ReaderClock } from '../../http/reader-clock.ts'
import { dayOf } from '../../parts/moment.ts'
import { roleWords } from '../../parts/role.ts'

export type InvitedData = { invited: Invited[]; clock: ReaderClock; canWrite: boolean }

/** Who was invited and has not answered. */
export function invitedSection({ invited, clock, canWrite }: InvitedData): Html | undefined {
  if (invited.length === 0) return undefined
  return html`<section aria-labelledby="invited">
<h2 id="invited">Invited, and not here yet</h2>
<ul class="entries">${invited.map(({ id, email, role, expiresAt }) => {
    const address = html`<strong><bdi>${email}</bdi></strong>`
    return html`<li>${canWrite ? html`<a href="/care-circle/invitations/${id}">${address}</a>` : address}
<p>Once they accept, they ${roleWords(role).can}</p>
${expiresAt && html`<p class="hint">The invitation is good until ${dayOf(expiresAt, clock)}</p>`}</li>`
  })}</ul>
</section>`
}
