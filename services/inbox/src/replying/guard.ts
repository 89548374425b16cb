import { isOfVerifiedSender } from '@family-inbox/mail-reader/authenticity/sender-of'
import { GuardChange, type Membership } from '@family-inbox/proto/carecircle/v1/care_circle'
import type { Call } from '@family-inbox/service-kit/rpc/call'
import type { Context } from '../context.ts'
import type { Message } from '../models/message.ts'
import type { ReplyProposal } from '../models/reply-proposal.ts'

type SenderRow = Pick<Message, 'from' | 'authenticity' | 'originalSender' | 'forwardedByMember' | 'ownReplyId'>

/** Before text of these messages leaves. If it fails, nothing leaves: a mark that is not durable would miss the next write. */
export async function guardReading(
  ctx: Context,
  { token }: Pick<Call, 'token'>,
  { needsGuardMark = false }: Membership,
  rows: SenderRow[],
): Promise<void> {
  if (needsGuardMark && !rows.every((row) => row.ownReplyId !== undefined || isOfVerifiedSender(row)))
    await ctx.careCircle.guardAssistant({ principal: token })
}

type Guarded = Pick<ReplyProposal, 'workspaceId' | 'personId' | 'guardMark'>

export function markProposing(ctx: Context, proposal: Guarded): Promise<void> {
  return updateGuard(ctx, proposal, GuardChange.PROPOSED)
}

/** Safe to repeat: it ends the mark under which this was proposed, and no later one. */
export function endGuard(ctx: Context, proposal: Guarded): Promise<void> {
  return updateGuard(ctx, proposal, GuardChange.DECIDED)
}

async function updateGuard(ctx: Context, proposal: Guarded, change: GuardChange): Promise<void> {
  const { workspaceId, personId, guardMark } = proposal
  if (guardMark !== undefined) await ctx.careCircle.updateGuard({ workspaceId, personId, guardMark, change })
}
