import type { ClaimSandboxRequest, ClaimSandboxResponse } from '@family-inbox/proto/sandbox/v1/sandbox'
import { describeError } from '@family-inbox/service-kit/observability/logger'
import type { Handler } from '@family-inbox/service-kit/rpc/call'
import { invalidArgument } from '@family-inbox/service-kit/rpc/status-error'
import { optionalLine, requireLine } from '@family-inbox/service-kit/text/text-rules'
import { type Claimant, claimableBy, nothingToClaim, requireClaimant } from '../claimable.ts'
import type { Context } from '../context.ts'
import type { Sandbox } from '../models/sandbox.ts'
import { finishClaim } from '../sandboxes/finish-claim.ts'

/** When the sweeper looks how a claim ended whose caller is gone. */
const SETTLE_AFTER_MS = 10_000

/**
 * Makes a sandbox the caller's household. Of any number of claims at the same moment care-circle lets one through, in one
 * transaction; what comes after it is finished here, or by the sweeper should this process die.
 */
export function claimSandbox(ctx: Context): Handler<ClaimSandboxRequest, ClaimSandboxResponse> {
  return async (request, call) => {
    const claimant = requireClaimant(call)
    const { workspaceId } = request
    const words = readWords(request)
    const sandbox = await beginClaim(ctx, claimant, workspaceId)
    if (sandbox === 'theirs already') return { workspaceId }
    await ctx.careCircle.claimSandboxWorkspace(
      {
        workspaceId,
        principal: call.token,
        ownerName: words.name,
        relationship: words.relationship,
        name: words.familyName || sandbox.workspaceName,
        invitedEmails: onlyDrafts(sandbox, request.invite),
      },
      { deadline: call.deadline },
    )
    await finishClaim(ctx, workspaceId, claimant.personId, call.deadline).catch((error) =>
      ctx.logger.warn(describeError(error), 'the end of a claim is left to the sweeper'),
    )
    return { workspaceId }
  }
}

function readWords({ name, relationship, familyName }: ClaimSandboxRequest) {
  return {
    name: requireLine('name', name, 120),
    relationship: optionalLine('relationship', relationship, 60),
    familyName: optionalLine('familyName', familyName, 120),
  }
}

/** Notes that a claim is under way, so that it will be settled whatever happens to this process. */
async function beginClaim(ctx: Context, claimant: Claimant, workspaceId: string): Promise<Sandbox | 'theirs already'> {
  const dueAt = new Date(Date.now() + SETTLE_AFTER_MS)
  const sandbox = await ctx.sandboxes
    .findOneAndUpdate({ _id: workspaceId, ...claimableBy(claimant) }, { $set: { state: 'claiming', dueAt } })
    .lean()
  if (sandbox !== null) return sandbox
  const isTheirs = await ctx.sandboxes.exists({ _id: workspaceId, claimedBy: claimant.personId })
  if (isTheirs) return 'theirs already'
  throw nothingToClaim()
}

/** Only people the agent named can be invited by a claim; the caller invites others afterwards, like any owner. */
function onlyDrafts({ inviteDrafts }: Sandbox, invite: string[]): string[] {
  const known = new Set(inviteDrafts)
  const stranger = invite.find((email) => !known.has(email))
  if (stranger !== undefined) throw invalidArgument('invite', 'invite may only hold the addresses of invite drafts.')
  return [...new Set(invite)]
}
