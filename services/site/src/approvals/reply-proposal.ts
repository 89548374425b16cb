import { ProposalState, type ReplyProposal } from '@family-inbox/proto/inbox/v1/inbox'
import type { Context } from '../context.ts'
import { errorSummary, type FieldErrors, textArea } from '../shell/fields.ts'
import { type Html, html } from '../shell/html.ts'
import { messagePath } from '../shell/inbox-paths.ts'
import { dayOf, whenOf } from '../shell/moment.ts'
import { type Page, sectionPage } from '../shell/page.ts'
import { assistantOf } from '../shell/parts.ts'
import type { ReaderClock } from '../shell/reader-clock.ts'
import { explainRefusal } from '../shell/refusal.ts'
import { asPerson } from '../shell/session.ts'
import { requireWriter, type Workspace, type WorkspaceHandler } from '../shell/workspace.ts'
import { guardNotice } from './guard-notice.ts'

export function showReplyProposal(ctx: Context): WorkspaceHandler {
  return async (visit, workspace) => {
    requireWriter(workspace)
    const request = { proposalId: visit.id('id') }
    const { proposal } = await ctx.inbox.getReplyProposal(request, asPerson(workspace.session, visit))
    return { page: proposalPage({ workspace, clock: visit.clock, proposal: proposal as ReplyProposal, errors: {} }) }
  }
}

/** Sends or declines it. What the form says is sent, even if it was changed. */
export function decideReply(ctx: Context): WorkspaceHandler {
  return async (visit, workspace) => {
    const person = asPerson(workspace.session, visit)
    const proposalId = visit.id('id')
    const body = visit.field('body').slice(0, 25_000)
    try {
      if (visit.field('decision') === 'decline') {
        await ctx.inbox.declineReplyProposal({ proposalId }, person)
        return { redirectTo: '/approvals', flash: 'proposal-declined' }
      }
      if (visit.field('decision') !== 'send') return { redirectTo: `/approvals/replies/${proposalId}` }
      const { proposal } = await ctx.inbox.approveReplyProposal({ proposalId, body }, person)
      return { redirectTo: `${messagePath(proposal as ReplyProposal)}#family`, flash: 'proposal-sent' }
    } catch (error) {
      const errors = explainRefusal(error, 'body', 'Enter the reply, up to 20,000 characters')
      const { proposal } = await ctx.inbox.getReplyProposal({ proposalId }, person)
      const shown = { ...(proposal as ReplyProposal), ...(isWaiting(proposal) && { body }) }
      return { status: 422, page: proposalPage({ workspace, clock: visit.clock, proposal: shown, errors }) }
    }
  }
}

type ProposalData = { workspace: Workspace; clock: ReaderClock; proposal: ReplyProposal; errors: FieldErrors }

function proposalPage({ workspace, clock, proposal, errors }: ProposalData): Page {
  const { name, assistant, to, subject, createdAt } = proposal
  return sectionPage(
    { id: 'inbox', workspace },
    {
      title: 'Reply waiting for approval',
      hasErrors: Object.keys(errors).length > 0,
      main: html`${errorSummary(errors)}
<p class="up"><a href="/approvals">Waiting for approval</a></p>
<h1>Reply to <bdi>${subject || 'a message without subject'}</bdi></h1>
<p>${assistantOf(name, assistant)} would like to send this to <strong><bdi>${to}</bdi></strong>.</p>
<p class="hint">Written ${createdAt && whenOf(createdAt, clock)}. <a href="${messagePath(proposal)}">Read the message it answers</a></p>
${isWaiting(proposal) && guardNotice(proposal)}
${isWaiting(proposal) ? decisionForm(proposal, errors, clock) : outcome(proposal, clock)}`,
    },
  )
}

function isWaiting(proposal: ReplyProposal | undefined): boolean {
  return proposal?.state === ProposalState.WAITING
}

function decisionForm({ id, name, body, expiresAt }: ReplyProposal, errors: FieldErrors, clock: ReaderClock): Html {
  return html`<form method="post" action="/approvals/replies/${id}" autocomplete="off" novalidate>
${textArea({ name: 'body', label: 'The reply', hint: `You can change it. They see ${name} as the sender.`, rows: 10, maxlength: 20_000, value: body, error: errors.body })}
<div class="row"><button name="decision" value="send">Send reply</button> <button class="second" name="decision" value="decline">Decline</button></div>
<p class="hint">${expiresAt && html`Expires ${dayOf(expiresAt, clock)} if nobody decides.`}</p>
</form>`
}

function outcome({ state, body, decidedByName, decidedAt }: ReplyProposal, clock: ReaderClock): Html {
  const by = html`<bdi>${decidedByName}</bdi>${decidedAt && html`, ${whenOf(decidedAt, clock)}`}`
  const words = {
    [ProposalState.SENT]: html`Sent by ${by}.`,
    [ProposalState.DECLINED]: html`Declined by ${by}. It was not sent.`,
  }
  const [known] = Object.entries(words).flatMap(([one, text]) => (one === state ? [text] : []))
  return html`<p class="notice" id="body">${known ?? 'This expired after seven days and wasn’t sent.'}</p>
<div class="body" dir="auto">${body}</div>`
}
