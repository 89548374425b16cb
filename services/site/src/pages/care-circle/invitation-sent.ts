import type { Household } from '../../household.ts'
import { type Html, html } from '../../html.ts'
import type { ReaderClock } from '../../http/reader-clock.ts'
import { type Page, roomPage } from '../../layout/page.ts'
import { copyable } from '../../parts/copyable.ts'
import { dayOf } from '../../parts/moment.ts'

export type InvitationSentData = {
  household: Household
  clock: ReaderClock
  email: string
  /** The invitation's link; undefined when it was shown before. */
  link: string | undefined
  expiresAt: Date | undefined
}

/** Says that an invitation is on its way, and shows its link, once. */
export function invitationSentPage({ household, clock, email, link, expiresAt }: InvitationSentData): Page {
  return roomPage(
    { place: 'care-circle', household },
    {
      title: 'The invitation is on its way',
      main: html`<h1>The invitation is on its way</h1>
<p>A mail goes to <bdi>${email}</bdi>${expiresAt && html`. They can accept it until ${dayOf(expiresAt, clock)}`}.</p>
${link === undefined ? shownBefore() : linkToCopy(link)}
<ul class="plain">
<li><a href="/care-circle">Back to the care circle</a></li>
<li><a href="/care-circle/invite">Invite somebody else</a></li>
</ul>`,
    },
  )
}

function linkToCopy(link: string): Html {
  return html`<h2>Send the link yourself, too?</h2>
<p>Copy it into a text message or a chat. It works for that address only: whoever opens it proves the address first.</p>
${copyable({ id: 'link', text: link, what: 'the link', look: 'large' })}
<p class="hint">You see the link only now. If you need it later, send the invitation again.</p>`
}

function shownBefore(): Html {
  return html`<p class="hint">Its link was shown to you when it was sent, and is not shown twice. If you need it, send the invitation again: that makes a new link.</p>`
}
