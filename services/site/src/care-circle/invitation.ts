import type { Context } from '../context.ts'
import { html } from '../shell/html.ts'
import { dayOf } from '../shell/moment.ts'
import { type Page, sectionPage } from '../shell/page.ts'
import type { ReaderClock } from '../shell/reader-clock.ts'
import { roleWords } from '../shell/role.ts'
import { asPerson } from '../shell/session.ts'
import type { Workspace, WorkspaceHandler } from '../shell/workspace.ts'
import { askPage } from './confirm-page.ts'
import { invitationSentReply } from './invitation-sent.ts'
import { type Invited, readCircle, requireInvited, requireWriter } from './read-circle.ts'

/** Shows an invitation that nobody has answered. */
export function showInvited(ctx: Context): WorkspaceHandler {
  return async (visit, workspace) => {
    const invitation = requireInvited(await readCircle(ctx, visit, workspace), visit.param('id'))
    requireWriter(workspace)
    return { page: invitedPersonPage({ workspace, clock: visit.clock, invitation }) }
  }
}

/** Asks whether an invitation shall really be taken back. */
export function showCancelInvitation(ctx: Context): WorkspaceHandler {
  return async (visit, workspace) => {
    const { id, email } = requireInvited(await readCircle(ctx, visit, workspace), visit.param('id'))
    requireWriter(workspace)
    const page = askPage({
      workspace,
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

/** Takes an invitation back. */
export function cancelInvitation(ctx: Context): WorkspaceHandler {
  return async (visit, { session }) => {
    await ctx.careCircle.cancelInvitation({ invitationId: visit.param('id').slice(0, 128) }, asPerson(session, visit))
    return { redirectTo: '/care-circle', flash: 'invitation-cancelled' }
  }
}

/** Sends an invitation again, and shows its new link, once. */
export function resendInvitation(ctx: Context): WorkspaceHandler {
  return async (visit, workspace) => {
    const { id, email } = requireInvited(await readCircle(ctx, visit, workspace), visit.param('id'))
    const sent = await ctx.careCircle.resendInvitation({ invitationId: id }, asPerson(workspace.session, visit))
    return invitationSentReply(ctx, visit, workspace, { email, ...sent })
  }
}

type InvitedPersonData = { workspace: Workspace; clock: ReaderClock; invitation: Invited }

/** An invitation nobody has answered: send it again, or take it back. */
function invitedPersonPage({ workspace, clock, invitation }: InvitedPersonData): Page {
  const { id, email, role, relationship, expiresAt } = invitation
  return sectionPage(
    { id: 'care-circle', workspace },
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
