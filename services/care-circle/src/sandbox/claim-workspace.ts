import { Role } from '@family-inbox/proto/carecircle/v1/care_circle'
import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import type { ClientSession } from 'mongoose'
import type { Context } from '../context.ts'
import { newInvitation } from '../invitations/create-invitation.ts'
import { type Member, memberId } from '../models/member.ts'

/** Cannot collide: person ids begin with `per_`. */
const PERSON_ID = 'synthetic-owner'

export type Claim = {
  workspaceId: string
  /** The workspace's new name. */
  name: string
  owner: Pick<Member, 'personId' | 'name' | 'email' | 'relationship'>
  invitedEmails: string[]
}

/**
 * Replaces the synthetic owner and stores the invitations, in a transaction. Of two concurrent claims,
 * the second finds the flag gone; it succeeds for a person who is the owner already.
 * @throws StatusError NOT_FOUND when it is no longer a sandbox
 */
export async function claimWorkspace(ctx: Context, claim: Claim, session: ClientSession): Promise<void> {
  const { workspaceId, name, owner } = claim
  const ownerId = memberId(workspaceId, owner.personId)
  const taken = await ctx.workspaces.updateOne(
    { _id: workspaceId, sandbox: true },
    { $set: { name }, $unset: { sandbox: 1 }, $inc: { changes: 1 } },
    { session },
  )
  if (taken.matchedCount === 0) {
    if (await ctx.members.exists({ _id: ownerId }).session(session)) return
    throw notClaimable()
  }
  await ctx.members.deleteOne({ _id: syntheticOwnerId(workspaceId) }, { session })
  const joinedAt = new Date()
  await ctx.members.insertOne({ _id: ownerId, workspaceId, ...owner, role: Role.OWNER, joinedAt }, { session })
  for (const invitation of invitationsOf(ctx, claim)) await ctx.invitations.insertOne(invitation, { session })
}

/** The sweeper mails them, so an aborted claim queues no mail. */
function invitationsOf(ctx: Context, { workspaceId, owner, invitedEmails }: Claim) {
  const others = new Set(invitedEmails.filter((email) => email !== owner.email))
  return [...others].map((email) => ({
    ...newInvitation(ctx, { workspaceId, personId: owner.personId }, invitationTo(email)),
    mailDueAt: new Date(),
  }))
}

function invitationTo(email: string) {
  return { email, role: Role.COORDINATOR, relationship: '', message: '', idempotencyKey: '' }
}

/** Same wording as in the sandbox service. */
function notClaimable(): StatusError {
  return new StatusError('NOT_FOUND', 'There is no workspace here that you can take. It may have ended, or be taken.', {
    field: 'workspaceId',
  })
}

function syntheticOwnerId(workspaceId: string): string {
  return memberId(workspaceId, PERSON_ID)
}

/** Owner of an unclaimed workspace. Without email and credentials, nobody can act as it. */
export function syntheticOwner(workspaceId: string, joinedAt: Date): Member {
  return {
    _id: syntheticOwnerId(workspaceId),
    workspaceId,
    personId: PERSON_ID,
    name: 'Nobody yet',
    email: '',
    role: Role.OWNER,
    relationship: '',
    joinedAt,
  }
}
