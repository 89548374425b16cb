import { startSweeper } from '@family-inbox/service-kit/lifecycle/sweep'
import { sweepDue } from '@family-inbox/service-kit/mongo/claim-due'
import { PROPOSAL_SUBJECT } from '@family-inbox/workspace-kit/proposal-notices'
import type { Context } from '../context.ts'
import { crashPoint } from '../crash-points.ts'
import type { InvitationProposal } from '../models/invitation-proposal.ts'

/** Tells inbox of each new proposal, so that it notifies the members. Safe on any number of replicas: repeating has no effect. */
export function announceProposals(ctx: Context): AsyncDisposable {
  return startSweeper({
    pauseMs: ctx.config.sweepPauseMs,
    ...sweepDue({ rows: ctx.invitationProposals, field: 'announceDueAt' }, (proposal: InvitationProposal) =>
      announce(ctx, proposal),
    ),
    wake: ctx.wake.proposals,
    failureMessage: 'could not announce an invitation that waits for approval; will retry',
    logger: ctx.logger,
  })
}

async function announce(ctx: Context, { _id, workspaceId }: InvitationProposal): Promise<void> {
  await ctx.proposalStream.publish(PROPOSAL_SUBJECT, _id, Buffer.from(workspaceId))
  crashPoint('invitation-proposal-announced')
  await ctx.invitationProposals.updateOne({ _id }, { $unset: { announceDueAt: 1 } })
}
