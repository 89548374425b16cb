import {
  type ClaimSandboxWorkspaceRequest,
  type ClaimSandboxWorkspaceResponse,
  Role,
} from '@family-inbox/proto/carecircle/v1/care_circle'
import { type Handler, requireService } from '@family-inbox/service-kit/rpc/call'
import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import { requireEmail } from '@family-inbox/service-kit/rpc/text-rules'
import { optionalPlainLine, requirePlainLine } from '@family-inbox/workspace-kit/plain-words'
import type { ClientSession } from 'mongoose'
import type { Context } from '../context.ts'
import { newInvitation } from '../invitations/create-invitation.ts'
import { hashNetwork } from '../invitations/spend-mail-limit.ts'
import { type Member, memberId, SYNTHETIC_OWNER } from '../models/member.ts'
import { requireInvitationsOpen, requireMayFound } from '../sign-up.ts'

/** The sandbox service checks which email may claim it; the principal proves that email. */
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
    if (claim.invitedEmails.length > 0) ctx.wake.invitations()
    return {}
  }
}

async function readClaim(ctx: Context, request: ClaimSandboxWorkspaceRequest, service: string): Promise<Claim> {
  const person = await ctx.identity.verifyPrincipal(request.principal, service)
  await requireMayFound(ctx, person)
  if (request.invitedEmails.length > 0) await requireInvitationsOpen(ctx, person)
  if (person.email === undefined) throw new StatusError('FAILED_PRECONDITION', 'Sign in with your email to do this.')
  return {
    workspaceId: request.workspaceId,
    name: requirePlainLine('familyName', request.name, 120),
    owner: {
      personId: person.personId,
      email: person.email,
      name: requirePlainLine('name', request.ownerName, 120),
      relationship: optionalPlainLine('relationship', request.relationship, 60),
    },
    invitedEmails: request.invitedEmails.map((email) => requireEmail('invite', email)),
    network: hashNetwork(ctx.config.invitationKey, request.clientAddress),
  }
}

type Claim = {
  workspaceId: string
  name: string
  owner: Pick<Member, 'personId' | 'name' | 'email' | 'relationship'>
  invitedEmails: string[]
  network: string | undefined
}

/** The second of two concurrent claims finds the flag gone. @throws StatusError NOT_FOUND unless the person is the owner */
async function claimWorkspace(ctx: Context, claim: Claim, session: ClientSession): Promise<void> {
  const { workspaceId, name, owner } = claim
  const ownerId = memberId(workspaceId, owner.personId)
  const claimed = await ctx.workspaces.updateOne(
    { _id: workspaceId, sandbox: true },
    { $set: { name }, $unset: { sandbox: 1 }, $inc: { changes: 1 } },
    { session },
  )
  if (claimed.matchedCount === 0) {
    if (await ctx.members.exists({ _id: ownerId }).session(session)) return
    throw notClaimable()
  }
  await ctx.members.deleteOne({ _id: memberId(workspaceId, SYNTHETIC_OWNER) }, { session })
  const joinedAt = new Date()
  await ctx.members.insertOne({ _id: ownerId, workspaceId, ...owner, role: Role.OWNER, joinedAt }, { session })
  for (const invitation of invitationsOf(ctx, claim)) await ctx.invitations.insertOne(invitation, { session })
}

/** The sweeper mails them, so an aborted claim queues no mail. */
function invitationsOf(ctx: Context, { workspaceId, owner, invitedEmails, network }: Claim) {
  const others = new Set(invitedEmails.filter((email) => email !== owner.email))
  return [...others].map((email) => ({
    ...newInvitation(ctx, { workspaceId, personId: owner.personId }, invitationTo(email)),
    ...(network && { network }),
    mailDueAt: new Date(),
  }))
}

function invitationTo(email: string) {
  return { email, role: Role.COORDINATOR, relationship: '', message: '', idempotencyKey: '' }
}

/** Worded as in the sandbox service. */
function notClaimable(): StatusError {
  return new StatusError(
    'NOT_FOUND',
    'There is no inbox here that you can take over. It may have expired, or someone took it over already.',
    {
      field: 'workspaceId',
    },
  )
}
