import type {
  ClaimSandboxWorkspaceRequest,
  ClaimSandboxWorkspaceResponse,
} from '@family-inbox/proto/carecircle/v1/care_circle'
import { type Handler, requireService } from '@family-inbox/service-kit/rpc/call'
import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import { optionalLine, requireEmail, requireLine } from '@family-inbox/service-kit/text/text-rules'
import type { Context } from '../context.ts'
import { type Claim, claimWorkspace } from '../sandbox/claim-workspace.ts'

/**
 * Turns a sandbox workspace into the claimer's own, in one transaction.
 * The sandbox service checks which email may claim it; the principal proves that email.
 */
export function claimSandboxWorkspace(
  ctx: Context,
): Handler<ClaimSandboxWorkspaceRequest, ClaimSandboxWorkspaceResponse> {
  return async (request, call) => {
    const service = requireService(call, 'sandbox')
    const claim = await readClaim(ctx, request, service)
    await ctx.connection.transaction((session) => {
      if (Date.now() > call.deadline) throw new StatusError('UNAVAILABLE', 'This is taking too long. Try again.')
      return claimWorkspace(ctx, claim, session)
    })
    return {}
  }
}

async function readClaim(ctx: Context, request: ClaimSandboxWorkspaceRequest, service: string): Promise<Claim> {
  const person = await ctx.identity.verifyPrincipal(request.principal, service)
  if (person.email === undefined) throw new StatusError('FAILED_PRECONDITION', 'Sign in with your email to do this.')
  return {
    workspaceId: request.workspaceId,
    name: requireLine('familyName', request.name, 120),
    owner: {
      personId: person.personId,
      email: person.email,
      name: requireLine('name', request.ownerName, 120),
      relationship: optionalLine('relationship', request.relationship, 60),
    },
    invitedEmails: request.invitedEmails.map((email) => requireEmail('invite', email)),
  }
}
