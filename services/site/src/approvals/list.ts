import type { InvitationProposal } from '@family-inbox/proto/carecircle/v1/care_circle'
import type { ReplyProposal } from '@family-inbox/proto/inbox/v1/inbox'
import type { Context } from '../context.ts'
import { type Html, html } from '../shell/html.ts'
import { whenOf } from '../shell/moment.ts'
import { type Page, sectionPage } from '../shell/page.ts'
import { emptyState } from '../shell/parts.ts'
import type { ReaderClock } from '../shell/reader-clock.ts'
import { asPerson } from '../shell/session.ts'
import { requireWriter, type Workspace, type WorkspaceHandler } from '../shell/workspace.ts'
import { assistantOf } from './words.ts'

/** Everything that assistants wrote and that waits for someone to send or decline it. */
export function showApprovals(ctx: Context): WorkspaceHandler {
  return async (visit, workspace) => {
    requireWriter(workspace)
    const person = asPerson(workspace.session, visit)
    const [{ proposals: replies }, { proposals: invitations }] = await Promise.all([
      ctx.inbox.listReplyProposals({}, person),
      ctx.careCircle.listInvitationProposals({}, person),
    ])
    return { page: approvalsPage({ workspace, clock: visit.clock, replies, invitations }) }
  }
}

type ApprovalsData = {
  workspace: Workspace
  clock: ReaderClock
  replies: ReplyProposal[]
  invitations: InvitationProposal[]
}

function approvalsPage({ workspace, clock, replies, invitations }: ApprovalsData): Page {
  const isEmpty = replies.length + invitations.length === 0
  return sectionPage(
    { id: 'inbox', workspace },
    {
      title: 'Waiting for approval',
      main: html`<p class="up"><a href="/">Back to inbox</a></p>
<h1>Waiting for approval</h1>
${
  isEmpty
    ? emptyState({
        title: 'Nothing is waiting',
        text: 'When an assistant that needs approval writes something, it appears here.',
        action: { label: 'Go to inbox', href: '/' },
      })
    : html`<p>Assistants wrote these. Nothing leaves until you or another family member sends it.</p>
<ul class="rows">${replies.map((one) => replyRow(one, clock))}${invitations.map((one) => invitationRow(one, clock))}</ul>`
}`,
    },
  )
}

function replyRow({ id, name, assistant, to, subject, createdAt }: ReplyProposal, clock: ReaderClock): Html {
  return html`<li class="item"><div><h2><bdi>${subject || 'No subject'}</bdi></h2>
<p>${assistantOf(name, assistant)} would like to send a reply to <bdi>${to}</bdi>.</p>
<p class="hint">${createdAt && whenOf(createdAt, clock)}</p></div>
<a class="button second" href="/approvals/replies/${id}">Review<span class="unseen"> the reply to ${to}</span></a></li>`
}

function invitationRow({ id, name, assistant, email, createdAt }: InvitationProposal, clock: ReaderClock): Html {
  return html`<li class="item"><div><h2>Invitation</h2>
<p>${assistantOf(name, assistant)} would like to invite <bdi>${email}</bdi>.</p>
<p class="hint">${createdAt && whenOf(createdAt, clock)}</p></div>
<a class="button second" href="/approvals/invitations/${id}">Review<span class="unseen"> the invitation for ${email}</span></a></li>`
}
