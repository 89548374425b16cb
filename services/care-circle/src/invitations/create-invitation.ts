import { type InviteMemberRequest, type Membership, Role } from '@family-inbox/proto/carecircle/v1/care_circle'
import { newId } from '@family-inbox/service-kit/ids/ids'
import { isDuplicateKey } from '@family-inbox/service-kit/mongo/mongo'
import { invalidArgument, StatusError } from '@family-inbox/service-kit/rpc/status-error'
import { optionalLine, requireEmail } from '@family-inbox/service-kit/rpc/text-rules'
import { DAY_MS } from '@family-inbox/service-kit/time/days'
import { optionalPlainLine } from '@family-inbox/workspace-kit/plain-words'
import { DUPLICATE_WINDOW_MS } from '@family-inbox/workspace-kit/proposals'
import type { Context } from '../context.ts'
import { crashPoint } from '../crash-points.ts'
import { hashInvitationToken, type Invitation } from '../models/invitation.ts'
import { invitationToken, openInvitations } from './find-invitation.ts'
import { MAIL_GRACE_MS } from './mail-invitation.ts'
import { hashNetwork } from './spend-mail-limit.ts'

export const INVITATION_LIFETIME_MS = 14 * DAY_MS

type Inviter = Pick<Membership, 'workspaceId' | 'personId'>

/** Unique indexes, not a transaction: one left open by a killed process would block the workspace for a minute or more. */
export async function createInvitation(
  ctx: Context,
  inviter: Inviter,
  request: InvitationRequest,
  id?: string,
): Promise<{ invitation: Invitation; isNew: boolean }> {
  try {
    await requireNotMember(ctx, inviter, request.email)
    await requireBelowLimit(ctx, inviter.workspaceId)
    const invitation = newInvitation(ctx, inviter, request, id)
    await ctx.invitations.insertOne(invitation)
    crashPoint('invitation-stored')
    return { invitation, isNew: true }
  } catch (error) {
    const concurrent = await findEarlierInvitation(ctx, inviter, request)
    if (concurrent) return { invitation: concurrent, isNew: false }
    throw isDuplicateKey(error) ? alreadyInvited() : error
  }
}

/** Makes the checks that need no stored invitation. @throws StatusError */
export async function requireInvitable(ctx: Context, inviter: Inviter, email: string): Promise<void> {
  const { workspaceId } = inviter
  await requireNotMember(ctx, inviter, email)
  if (await ctx.invitations.exists({ workspaceId, email, state: 'pending' })) throw alreadyInvited()
  await requireBelowLimit(ctx, workspaceId)
}

async function requireNotMember(ctx: Context, { workspaceId, personId }: Inviter, email: string): Promise<void> {
  const [member] = await Promise.all([
    ctx.members.findOne({ workspaceId, email }, { personId: 1 }).lean(),
    ctx.invitations.updateOne(
      { workspaceId, email, state: 'pending', expiresAt: { $lte: new Date() } },
      { $set: { state: 'expired' } },
    ),
  ])
  if (member?.personId === personId) throw invalidArgument('email', 'This is your own email address.')
  if (member) throw new StatusError('ALREADY_EXISTS', 'This person is already in your family.', { field: 'email' })
}

async function requireBelowLimit(ctx: Context, workspaceId: string): Promise<void> {
  const most = ctx.config.invitationsPerDay
  const open = await ctx.invitations
    .find({ workspaceId, ...openInvitations() }, { expiresAt: 1 })
    .sort({ expiresAt: -1 })
    .limit(most)
    .lean()
  const next = open[most - 1]
  if (next === undefined) return
  throw new StatusError('RESOURCE_EXHAUSTED', `${most} invitations are open. Cancel one first.`, {
    retryAfterSec: Math.ceil((next.expiresAt.getTime() - Date.now()) / 1000),
  })
}

export function newInvitation(
  ctx: Context,
  { workspaceId, personId }: Inviter,
  request: InvitationRequest,
  _id = newId('inv'),
): Invitation {
  const { idempotencyKey, ...asked } = request
  const now = Date.now()
  return {
    _id,
    workspaceId,
    ...asked,
    ...(idempotencyKey === '' ? {} : { idempotencyKey }),
    invitedBy: personId,
    state: 'pending',
    sendNumber: 1,
    tokenHash: hashInvitationToken(invitationToken(ctx.config.invitationKey, _id, 1)),
    mailDueAt: new Date(now + MAIL_GRACE_MS),
    createdAt: new Date(now),
    expiresAt: new Date(now + INVITATION_LIFETIME_MS),
  }
}

function alreadyInvited(): StatusError {
  const message = 'This person is already invited. Resend or cancel that invitation first.'
  return new StatusError('ALREADY_EXISTS', message, { field: 'email' })
}

export type InvitationRequest = Pick<Invitation, 'email' | 'role' | 'relationship' | 'message' | 'network'> & {
  idempotencyKey: string
}

export function readInvitation({ config }: Context, request: InviteMemberRequest): InvitationRequest {
  const network = hashNetwork(config.invitationKey, request.clientAddress)
  return {
    email: requireEmail('email', request.email),
    role: requireInvitedRole(request.role),
    relationship: optionalPlainLine('relationship', request.relationship, 60),
    message: readNote(request.message),
    idempotencyKey: optionalLine('idempotencyKey', request.idempotencyKey, 200),
    ...(network !== undefined && { network }),
  }
}

/** Joins the note into a paragraph, so it cannot imitate the mail around it. */
export function readNote(message: string): string {
  return optionalPlainLine('message', message.replaceAll(/[\r\n]/g, ' '), 500)
}

function requireInvitedRole(role: Role): Role {
  if (role === Role.COORDINATOR || role === Role.VIEWER) return role
  throw invalidArgument('role', 'role must be coordinator or viewer.')
}

/** By key, or by content within ten minutes or while its mail is not queued. @throws StatusError ALREADY_EXISTS for a key used otherwise */
export async function findEarlierInvitation(
  ctx: Context,
  { workspaceId, personId }: Inviter,
  request: InvitationRequest,
): Promise<Invitation | null> {
  const { email, idempotencyKey } = request
  if (idempotencyKey === '') {
    const recent = [
      { mailDueAt: { $exists: true } },
      { createdAt: { $gt: new Date(Date.now() - DUPLICATE_WINDOW_MS) } },
    ]
    const same = { workspaceId, email, invitedBy: personId, $or: recent }
    const earlier = await ctx.invitations.findOne({ $and: [same, openInvitations()] }).lean()
    return earlier && isSameRequest(earlier, request) ? earlier : null
  }
  const earlier = await ctx.invitations.findOne({ workspaceId, idempotencyKey }).lean()
  if (earlier === null || isSameRequest(earlier, request)) return earlier
  throw new StatusError(
    'ALREADY_EXISTS',
    'This idempotencyKey was used for another invitation. Use a new key for a new invitation.',
    { field: 'idempotencyKey' },
  )
}

function isSameRequest(earlier: Invitation, request: InvitationRequest): boolean {
  return (['email', 'role', 'relationship', 'message'] as const).every((field) => earlier[field] === request[field])
}
