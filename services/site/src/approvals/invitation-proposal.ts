import { type InvitationProposal, ProposalState } from '@family-inbox/proto/carecircle/v1/care_circle'
import type { Context } from '../context.ts'
import { errorSummary, type FieldErrors, textArea } from '../shell/fields.ts'
import { html } from '../shell/html.ts'
import { dayOf, whenOf } from '../shell/moment.ts'
import { type Page, sectionPage } from '../shell/page.ts'
import { assistantOf } from '../shell/parts.ts'
import { roleWords } from '../shell/permissions.ts'
import type { ReaderClock } from '../shell/reader-clock.ts'
import { explainRefusal } from '../shell/refusal.ts'
import { asPerson } from '../shell/session.ts'
import type { Visit } from '../shell/visit.ts'
import { requireWriter, type Workspace, type WorkspaceHandler } from '../shell/workspace.ts'
import { guardNotice } from './guard-notice.ts'

export function showInvitationProposal(ctx: Context): WorkspaceHandler {
  return async (visit, workspace) => {
    requireWriter(workspace)
    const proposal = await findWaiting(ctx, visit, workspace)
    if (proposal === undefined) return { redirectTo: '/approvals', flash: 'proposal-gone' }
    const message = visit.restoredField('message') || proposal.message
    return { page: proposalPage({ workspace, clock: visit.clock, proposal: { ...proposal, message }, errors: {} }) }
  }
}

export function decideInvitation(ctx: Context): WorkspaceHandler {
  return async (visit, workspace) => {
    const person = asPerson(workspace.session, visit)
    const proposalId = visit.id('id')
    const message = visit.field('message').slice(0, 1000)
    try {
      if (visit.field('decision') === 'decline') {
        await ctx.careCircle.declineInvitationProposal({ proposalId }, person)
        return { redirectTo: '/approvals', flash: 'proposal-declined' }
      }
      if (visit.field('decision') !== 'send') return { redirectTo: `/approvals/invitations/${proposalId}` }
      await ctx.careCircle.approveInvitationProposal(
        { proposalId, message, clientAddress: visit.clientAddress },
        person,
      )
      return { redirectTo: '/care-circle', flash: 'invitation-sent' }
    } catch (error) {
      const errors = explainRefusal(error, 'message', 'Enter a note of up to 500 characters, or leave it empty')
      const proposal = await findWaiting(ctx, visit, workspace)
      if (proposal === undefined) return { redirectTo: '/approvals', flash: 'proposal-gone' }
      const shown = { ...proposal, message }
      return { status: 422, page: proposalPage({ workspace, clock: visit.clock, proposal: shown, errors }) }
    }
  }
}

async function findWaiting(ctx: Context, visit: Visit, { session }: Workspace) {
  const { proposals } = await ctx.careCircle.listInvitationProposals({}, asPerson(session, visit))
  return proposals.find(({ id, state }) => id === visit.id('id') && state === ProposalState.WAITING)
}

type ProposalData = { workspace: Workspace; clock: ReaderClock; proposal: InvitationProposal; errors: FieldErrors }

function proposalPage({ workspace, clock, proposal, errors }: ProposalData): Page {
  const { id, name, assistant, email, role, relationship, message, createdAt, expiresAt } = proposal
  return sectionPage(
    { id: 'care-circle', workspace },
    {
      title: 'Invitation waiting for approval',
      hasErrors: Object.keys(errors).length > 0,
      main: html`${errorSummary(errors)}
<p class="up"><a href="/approvals">Waiting for approval</a></p>
<h1>Invite <bdi>${email}</bdi>?</h1>
<p>${assistantOf(name, assistant)} would like to invite them to <bdi>${workspace.name}</bdi>${relationship !== '' && html` (<bdi>${relationship}</bdi>)`}.</p>
<p>Once they accept, they ${roleWords(role).can}.</p>
<p class="hint">Written ${createdAt && whenOf(createdAt, clock)}. The invitation names ${name}.</p>
${guardNotice(proposal)}
<form method="post" action="/approvals/invitations/${id}" autocomplete="off" novalidate>
${textArea({ name: 'message', label: 'A personal note', optional: true, rows: 4, maxlength: 500, value: message, error: errors.message })}
<div class="row"><button name="decision" value="send">Send invitation</button> <button class="second" name="decision" value="decline">Decline</button></div>
<p class="hint">${expiresAt && html`Expires ${dayOf(expiresAt, clock)} if nobody decides.`}</p>
</form>`,
    },
  )
}
