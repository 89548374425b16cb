import type { InvitationProposal } from '@family-inbox/proto/carecircle/v1/care_circle'
import type { ReplyProposal } from '@family-inbox/proto/inbox/v1/inbox'
import type { Context } from '../context.ts'
import { type Html, html } from '../shell/html.ts'
import { whenOf } from '../shell/moment.ts'
import { type Page, sectionPage } from '../shell/page.ts'
import { assistantOf, emptyState } from '../shell/parts.ts'
import type { ReaderClock } from '../shell/reader-clock.ts'
import { asPerson } from '../shell/session.ts'
import { withSidebar } from '../shell/sidebar.ts'
import type { Visit } from '../shell/visit.ts'
import { requireWriter, type Workspace, type WorkspaceHandler } from '../shell/workspace.ts'

export function besideApprovals(ctx: Context, handler: WorkspaceHandler): WorkspaceHandler {
  return withSidebar('Waiting for approval', handler, async (visit, workspace) => {
    const { replies, invitations } = await readWaiting(ctx, visit, workspace)
    const link = (id: string, path: string, label: string, to: string) => ({
      href: `/approvals/${path}/${id}`,
      label: html`<bdi>${label}</bdi>`,
      hint: html`to <bdi>${to}</bdi>`,
      isCurrent: id === visit.id('id'),
    })
    return [
      {
        title: 'Replies',
        links: replies.map(({ id, subject, to }) => link(id, 'replies', subject || 'No subject', to)),
      },
      { title: 'Invitations', links: invitations.map(({ id, email }) => link(id, 'invitations', 'Invitation', email)) },
    ]
  })
}

async function readWaiting(ctx: Context, visit: Visit, { session }: Workspace) {
  const person = asPerson(session, visit)
  const [{ proposals: replies }, { proposals: invitations }] = await Promise.all([
    ctx.inbox.listReplyProposals({}, person),
    ctx.careCircle.listInvitationProposals({}, person),
  ])
  return { replies, invitations }
}

/** Everything that assistants wrote and that waits for someone to send or decline it. */
export function showApprovals(ctx: Context): WorkspaceHandler {
  return async (visit, workspace) => {
    requireWriter(workspace)
    const waiting = await readWaiting(ctx, visit, workspace)
    return { page: approvalsPage({ workspace, clock: visit.clock, ...waiting }) }
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
    : html`<p>Assistants wrote these. Nothing is sent until you or another family member sends it.</p>
<ul class="rows">${replies.map((reply) => replyRow(reply, clock))}${invitations.map((invitation) => invitationRow(invitation, clock))}</ul>`
}`,
    },
  )
}

function replyRow({ id, name, assistant, to, subject, createdAt }: ReplyProposal, clock: ReaderClock): Html {
  return html`<li class="item"><div><h2><bdi>${subject || 'No subject'}</bdi></h2>
<p>${assistantOf(name, assistant)} would like to send a reply to <bdi>${to}</bdi>.</p>
<p class="hint capital">${createdAt && whenOf(createdAt, clock)}</p></div>
<a class="button second" href="/approvals/replies/${id}">Review<span class="unseen"> the reply to ${to}</span></a></li>`
}

function invitationRow({ id, name, assistant, email, createdAt }: InvitationProposal, clock: ReaderClock): Html {
  return html`<li class="item"><div><h2>Invitation</h2>
<p>${assistantOf(name, assistant)} would like to invite <bdi>${email}</bdi>.</p>
<p class="hint capital">${createdAt && whenOf(createdAt, clock)}</p></div>
<a class="button second" href="/approvals/invitations/${id}">Review<span class="unseen"> the invitation for ${email}</span></a></li>`
}
