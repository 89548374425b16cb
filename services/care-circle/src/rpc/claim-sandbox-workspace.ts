import type {
  ClaimSandboxWorkspaceRequest,
  ClaimSandboxWorkspaceResponse,
} from '@family-inbox/proto/carecircle/v1/care_circle'
import { type Handler, requireService } from '@family-inbox/service-kit/rpc/call'
import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import { optionalLine, requireEmail, requireLine } from '@family-inbox/service-kit/text/text-rules'
import type { Context } from '../context.ts'
import { type Claim, takeOver } from '../sandbox/take-over.ts'

/**
 * Makes a sandbox workspace somebody's own: owner, flag and invitations in one transaction, all or nothing. The sandbox
 * service knows for which email it was opened; that the person has proved it, auth says here.
 */
export function claimSandboxWorkspace(
  ctx: Context,
): Handler<ClaimSandboxWorkspaceRequest, ClaimSandboxWorkspaceResponse> {
  return async (request, call) => {
    const asker = requireService(call, 'sandbox')
    const claim = await readClaim(ctx, request, asker)
    await ctx.connection.transaction((session) => {
      if (Date.now() > call.deadline) throw new StatusError('UNAVAILABLE', 'This is taking too long. Try again.')
      return takeOver(ctx, claim, session)
    })
    return {}
  }
}

async function readClaim(ctx: Context, request: ClaimSandboxWorkspaceRequest, asker: string): Promise<Claim> {
  const person = await ctx.identity.verifyPrincipal(request.principal, asker)
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
