import type { StoppedRecipient } from '@family-inbox/proto/inbox/v1/inbox'
import type { Context } from '../context.ts'
import { html } from '../shell/html.ts'
import { dayOf } from '../shell/moment.ts'
import { type Page, sectionPage } from '../shell/page.ts'
import { roleWords } from '../shell/permissions.ts'
import type { ReaderClock } from '../shell/reader-clock.ts'
import { asPerson } from '../shell/session.ts'
import { sidebarLayout } from '../shell/sidebar.ts'
import { readStop, stopNotice } from '../shell/stopped-recipient.ts'
import { requireWriter, type Workspace, type WorkspaceHandler } from '../shell/workspace.ts'
import { circleList } from './circle-list.ts'
import { confirmPage } from './confirm-page.ts'
import { invitationSentReply } from './invitation-sent.ts'
import { type Invited, readInvited, requireInvited } from './read-circle.ts'

export function showInvited(ctx: Context): WorkspaceHandler {
  return async (visit, workspace) => {
    const invited = await readInvited(ctx, visit, workspace)
    const invitation = requireInvited(invited, visit.id('id'))
    requireWriter(workspace)
    const stop = await readStop(ctx, visit, workspace, invitation.email)
    return { page: invitedPersonPage({ workspace, clock: visit.clock, invited, invitation, stop }) }
  }
}

export function showCancelInvitation(ctx: Context): WorkspaceHandler {
  return async (visit, workspace) => {
    const { id, email } = requireInvited(await readInvited(ctx, visit, workspace), visit.id('id'))
    requireWriter(workspace)
    const page = confirmPage({
      workspace,
      title: 'Cancel this invitation?',
      question: html`Cancel the invitation to <bdi>${email}</bdi>?`,
      consequences: [
        'The link in their email stops working right away. We don’t notify them. You can invite them again.',
      ],
      action: `/care-circle/invitations/${id}/cancel`,
      button: 'Cancel invitation',
      back: `/care-circle/invitations/${id}`,
    })
    return { page }
  }
}

export function cancelInvitation(ctx: Context): WorkspaceHandler {
  return async (visit, { session }) => {
    await ctx.careCircle.cancelInvitation({ invitationId: visit.id('id') }, asPerson(session, visit))
    return { redirectTo: '/care-circle', flash: 'invitation-canceled' }
  }
}

/** Sends an invitation again and leads to its new link. */
export function resendInvitation(ctx: Context): WorkspaceHandler {
  return async (visit, workspace) => {
    const { id, email } = requireInvited(await readInvited(ctx, visit, workspace), visit.id('id'))
    const sent = await ctx.careCircle.resendInvitation(
      { invitationId: id, clientAddress: visit.clientAddress },
      asPerson(workspace.session, visit),
    )
    return invitationSentReply(workspace, { email, ...sent })
  }
}

type InvitedPersonData = {
  workspace: Workspace
  clock: ReaderClock
  invited: Invited[]
  invitation: Invited
  stop: StoppedRecipient | undefined
}

function invitedPersonPage({ workspace, clock, invited, invitation, stop }: InvitedPersonData): Page {
  const { id, email, role, relationship, expiresAt } = invitation
  return sectionPage(
    { id: 'care-circle', workspace },
    {
      title: 'Pending invitation',
      isWide: true,
      main: sidebarLayout(
        'Care circle',
        circleList(invited, workspace, id),
        html`<p class="up"><a href="/care-circle">Care circle</a></p>
<h1><bdi>${email}</bdi></h1>
<p>They haven’t answered yet.</p>
<dl class="facts">
<div><dt>Once they accept</dt><dd class="capital">${roleWords(role).name}: ${roleWords(role).can}</dd></div>
${relationship !== '' && html`<div><dt>Relationship</dt><dd class="capital"><bdi>${relationship}</bdi></dd></div>`}
${expiresAt && html`<div><dt>Expires</dt><dd>${dayOf(expiresAt, clock)}</dd></div>`}
</dl>
${stopNotice({ stop, workspace, clock, action: `/care-circle/invitations/${id}/allow` })}
<form method="post" action="/care-circle/invitations/${id}/resend">
<p class="hint" id="resend-hint">They get a new email with a new link, valid for 14 days. The old link stops working.</p>
<div class="row"><button aria-describedby="resend-hint">Send again</button> <a href="/care-circle/invitations/${id}/cancel">Cancel invitation</a></div>
</form>`,
      ),
    },
  )
}
