import type { ClaimSandboxRequest, ClaimSandboxResponse } from '@family-inbox/proto/sandbox/v1/sandbox'
import { describeError } from '@family-inbox/service-kit/observability/logger'
import type { Handler } from '@family-inbox/service-kit/rpc/call'
import { invalidArgument } from '@family-inbox/service-kit/rpc/status-error'
import { optionalPlainLine, requirePlainLine } from '@family-inbox/workspace-kit/plain-words'
import type { Context } from '../context.ts'
import type { Sandbox } from '../models/sandbox.ts'
import { requireOn } from '../require-on.ts'
import { type Claimant, claimableBy, finishClaim, nothingToClaim, requireClaimant } from '../sandboxes/claims.ts'

const RESOLVE_AFTER_MS = 10_000

/** care-circle lets one of several claims through, in one transaction. The sweeper finishes it after a crash. */
export function claimSandbox(ctx: Context): Handler<ClaimSandboxRequest, ClaimSandboxResponse> {
  return async (request, call) => {
    const claimant = requireClaimant(call)
    await requireOn(ctx)
    const { workspaceId } = request
    const text = readText(request)
    const sandbox = await beginClaim(ctx, claimant, workspaceId)
    if (sandbox === 'already claimed') return { workspaceId }
    await ctx.careCircle.claimSandboxWorkspace(
      {
        workspaceId,
        principal: call.token,
        ownerName: text.name,
        relationship: text.relationship,
        name: text.familyName || sandbox.workspaceName || text.name,
        clientAddress: request.clientAddress,
        invitedEmails: sandbox.state === 'claimed' ? [] : onlyDrafts(sandbox, request.invite),
      },
      { deadline: call.deadline },
    )
    await finishClaim(ctx, workspaceId, claimant.personId, call.deadline).catch((error) =>
      ctx.logger.warn(describeError(error), 'claim left to the sweeper'),
    )
    return { workspaceId }
  }
}

function readText({ name, relationship, familyName }: ClaimSandboxRequest) {
  return {
    name: requirePlainLine('name', name, 120),
    relationship: optionalPlainLine('relationship', relationship, 60),
    familyName: optionalPlainLine('familyName', familyName, 120),
  }
}

/** Marks the claim first, so the sweeper can resolve it after a crash. */
async function beginClaim(ctx: Context, claimant: Claimant, workspaceId: string): Promise<Sandbox | 'already claimed'> {
  const dueAt = new Date(Date.now() + RESOLVE_AFTER_MS)
  const sandbox = await ctx.sandboxes
    .findOneAndUpdate({ _id: workspaceId, ...claimableBy(claimant) }, { $set: { state: 'claiming', dueAt } })
    .lean()
  if (sandbox !== null) return sandbox
  const claimed = await ctx.sandboxes.findOne({ _id: workspaceId, state: 'claimed' }).lean()
  if (claimed?.claimedBy === claimant.personId) return 'already claimed'
  // The sweeper finished a claim that nobody answered. care-circle knows whose it was.
  if (claimed !== null && claimed.claimedBy === undefined) return claimed
  throw nothingToClaim()
}

/** A claim can invite only people the agent named. */
function onlyDrafts({ inviteDrafts }: Sandbox, invite: string[]): string[] {
  const known = new Set(inviteDrafts)
  const unknown = invite.find((email) => !known.has(email))
  if (unknown !== undefined) throw invalidArgument('invite', 'invite must contain only addresses from the drafts.')
  return [...new Set(invite)]
}
