import type { Context } from '../context.ts'
import { carryTo, readCarried } from '../shell/carried.ts'
import { type Html, html } from '../shell/html.ts'
import { dayOf } from '../shell/moment.ts'
import { type Page, sectionPage } from '../shell/page.ts'
import { copyable } from '../shell/parts.ts'
import type { ReaderClock } from '../shell/reader-clock.ts'
import type { Reply } from '../shell/visit.ts'
import type { Workspace, WorkspaceHandler } from '../shell/workspace.ts'

type SentInvitation = {
  email: string
  /** Empty when an earlier response already returned it. */
  token: string
  expiresAt: Date | undefined
}

const PATH = '/care-circle/invited'

/** Leads to the page with the link. The link is not stored anywhere but in this browser. */
export function invitationSentReply({ session }: Workspace, { email, token, expiresAt }: SentInvitation): Reply {
  const cookies = token === '' ? [] : [carryTo(PATH, session, { email, token, until: expiresAt?.toISOString() ?? '' })]
  return { redirectTo: PATH, flash: token === '' ? 'invitation-sent' : undefined, cookies }
}

/** Confirms that an invitation was sent, and shows its link for some minutes. */
export function showInvitationSent({ config }: Context): WorkspaceHandler {
  return async (visit, workspace) => {
    const { email, token, until = '' } = readCarried(visit, workspace.session) ?? {}
    if (email === undefined || token === undefined) return { redirectTo: '/care-circle' }
    const link = `${config.urls.inbox}/invitation/${encodeURIComponent(token)}`
    const expiresAt = Number.isNaN(Date.parse(until)) ? undefined : new Date(until)
    return { page: invitationSentPage({ workspace, clock: visit.clock, email, link, expiresAt }) }
  }
}

type InvitationSentData = {
  workspace: Workspace
  clock: ReaderClock
  email: string
  link: string
  expiresAt: Date | undefined
}

function invitationSentPage({ workspace, clock, email, link, expiresAt }: InvitationSentData): Page {
  return sectionPage(
    { id: 'care-circle', workspace },
    {
      title: 'Invitation sent',
      main: html`<h1>Invitation sent</h1>
<p>We’re sending an email to <bdi>${email}</bdi>${expiresAt && html`. They can accept until ${dayOf(expiresAt, clock)}`}.</p>
${linkToCopy(link)}
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
<p class="hint">We show this link only now. If you need it later, send the invitation again.</p>`
}
