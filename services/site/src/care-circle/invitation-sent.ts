import type { Context } from '../context.ts'
import { type Html, html } from '../shell/html.ts'
import { dayOf } from '../shell/moment.ts'
import { type Page, sectionPage } from '../shell/page.ts'
import { copyable } from '../shell/parts.ts'
import type { ReaderClock } from '../shell/reader-clock.ts'
import type { Reply, Visit } from '../shell/visit.ts'
import type { Workspace } from '../shell/workspace.ts'

type SentInvitation = {
  email: string
  /** Empty when an earlier response already returned it. */
  token: string
  expiresAt: Date | undefined
}

/** Confirms that an invitation was sent. Only this response holds the link; it is not stored. */
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
  /** Undefined when it was already shown. */
  link: string | undefined
  expiresAt: Date | undefined
}

function invitationSentPage({ workspace, clock, email, link, expiresAt }: InvitationSentData): Page {
  return sectionPage(
    { id: 'care-circle', workspace },
    {
      title: 'Invitation sent',
      main: html`<h1>Invitation sent</h1>
<p>We’re sending an email to <bdi>${email}</bdi>${expiresAt && html`. They can accept until ${dayOf(expiresAt, clock)}`}.</p>
${link === undefined ? alreadyShown() : linkToCopy(link)}
<ul class="plain">
<li><a href="/care-circle">Back to care circle</a></li>
<li><a href="/care-circle/invite">Invite someone else</a></li>
</ul>`,
    },
  )
}

function linkToCopy(link: string): Html {
  return html`<h2>Want to send the link yourself?</h2>
<p>Copy it into a text or chat. It works only for someone who signs in with that address.</p>
${copyable({ id: 'link', text: link, what: 'the link', look: 'large' })}
<p class="hint">We show this link only once. If you need it later, send the invitation again.</p>`
}

function alreadyShown(): Html {
  return html`<p class="hint">We already showed you its link and can’t show it again. For a new link, send the invitation again.</p>`
}
