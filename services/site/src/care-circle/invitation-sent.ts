import type { Context } from '../context.ts'
import { copyable } from '../shell/copyable.ts'
import { type Html, html } from '../shell/html.ts'
import { dayOf } from '../shell/moment.ts'
import { type Page, sectionPage } from '../shell/page.ts'
import type { ReaderClock } from '../shell/reader-clock.ts'
import type { Reply, Visit } from '../shell/visit.ts'
import type { Workspace } from '../shell/workspace.ts'

type SentInvitation = {
  email: string
  /** Empty when it was told before. */
  token: string
  expiresAt: Date | undefined
}

/** Says that an invitation is on its way. The link is in this answer only; nothing keeps it. */
export function invitationSentReply(
  { config }: Context,
  { clock }: Visit,
  workspace: Workspace,
  { email, token, expiresAt }: SentInvitation,
): Reply {
  const link = token === '' ? undefined : `${config.urls.inbox}/invitation/${token}`
  return { page: invitationSentPage({ workspace, clock, email, link, expiresAt }) }
}

type InvitationSentData = {
  workspace: Workspace
  clock: ReaderClock
  email: string
  /** The invitation's link; undefined when it was shown before. */
  link: string | undefined
  expiresAt: Date | undefined
}

/** Says that an invitation is on its way, and shows its link, once. */
function invitationSentPage({ workspace, clock, email, link, expiresAt }: InvitationSentData): Page {
  return sectionPage(
    { id: 'care-circle', workspace },
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
