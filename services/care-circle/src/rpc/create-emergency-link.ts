import {
  type CreateEmergencyLinkRequest,
  type CreateEmergencyLinkResponse,
  type Membership,
  Role,
} from '@family-inbox/proto/carecircle/v1/care_circle'
import { deriveId, newId } from '@family-inbox/service-kit/ids/ids'
import { insertOnce } from '@family-inbox/service-kit/mongo/rows'
import type { Handler } from '@family-inbox/service-kit/rpc/call'
import { requireRecentSignIn } from '@family-inbox/service-kit/rpc/recent-sign-in'
import { invalidArgument, StatusError } from '@family-inbox/service-kit/rpc/status-error'
import { optionalLine } from '@family-inbox/service-kit/rpc/text-rules'
import { HOUR_MS } from '@family-inbox/service-kit/time/days'
import type { Context } from '../context.ts'
import { crashPoint } from '../crash-points.ts'
import {
  deriveLinkCode,
  deriveLinkToken,
  type EmergencyLink,
  hashLinkCode,
  hashLinkToken,
  linkToWire,
  openLinks,
} from '../models/emergency-link.ts'
import { requireMember } from '../require-member.ts'

/** A day, a week, a month. */
const LIFETIMES_HOURS = [24, 168, 720]
/** Open ones of a loved one. */
const MOST = 5
const SHOWN_MS = 10 * 60_000

/** Owner only. Address and code are shown until the link was opened, and for ten minutes. */
export function createEmergencyLink(ctx: Context): Handler<CreateEmergencyLinkRequest, CreateEmergencyLinkResponse> {
  return async ({ lovedOneId, hours, idempotencyKey }, call) => {
    const member = await requireMember(ctx, call, { lovedOneId, write: true })
    if (member.role !== Role.OWNER) throw new StatusError('PERMISSION_DENIED', 'Only the owner can do this.')
    requireRecentSignIn(call)
    if (!LIFETIMES_HOURS.includes(hours)) throw invalidArgument('hours', 'hours must be 24, 168 or 720.')
    const key = optionalLine('idempotencyKey', idempotencyKey, 200)
    const row = newLink(ctx, member, { lovedOneId, hours, key })
    await requireSheet(ctx, row)
    await requireBelowLimit(ctx, row)
    await insertOnce(ctx.emergencyLinks.collection, [row])
    crashPoint('emergency-link-stored')
    ctx.wake.emergencyLinks()
    const { _id, workspaceId, tokenHash, codeHash } = row
    const stored = await ctx.emergencyLinks.findOne({ _id, workspaceId }).lean().orFail()
    // After a change of the key, other secrets derive from the same id.
    const isSame = stored.tokenHash === tokenHash && stored.codeHash === codeHash
    return { link: linkToWire(stored), ...(isSame && isShown(stored) ? secretsOf(ctx, _id) : { token: '', code: '' }) }
  }
}

type Wanted = { lovedOneId: string; hours: number; key: string }

function newLink(ctx: Context, member: Membership, { lovedOneId, hours, key }: Wanted): EmergencyLink {
  const { workspaceId, personId, since = new Date() } = member
  const _id = key === '' ? newId('eml') : deriveId('eml', [workspaceId, personId, lovedOneId, key])
  const { token, code } = secretsOf(ctx, _id)
  const createdAt = new Date()
  return {
    _id,
    workspaceId,
    lovedOneId,
    createdBy: personId,
    memberSince: since,
    tokenHash: hashLinkToken(token),
    codeHash: hashLinkCode(ctx.config.invitationKey, _id, code),
    createdAt,
    expiresAt: new Date(createdAt.getTime() + hours * HOUR_MS),
    wrongCodes: 0,
    openedCount: 0,
    openedAt: [],
    mailDueAt: createdAt,
  }
}

function secretsOf({ config: { invitationKey } }: Context, id: string): { token: string; code: string } {
  return { token: deriveLinkToken(invitationKey, id), code: deriveLinkCode(invitationKey, id) }
}

function isShown({ openedCount, revokedAt, createdAt }: EmergencyLink): boolean {
  return openedCount === 0 && revokedAt === undefined && Date.now() - createdAt.getTime() < SHOWN_MS
}

async function requireSheet(ctx: Context, { workspaceId, lovedOneId }: EmergencyLink): Promise<void> {
  if (await ctx.emergencySheets.exists({ _id: lovedOneId, workspaceId })) return
  throw new StatusError('FAILED_PRECONDITION', 'The sheet is empty. Fill it in first.')
}

async function requireBelowLimit(ctx: Context, { _id, workspaceId, lovedOneId }: EmergencyLink): Promise<void> {
  const others = { workspaceId, lovedOneId, ...openLinks(), _id: { $ne: _id } }
  if ((await ctx.emergencyLinks.countDocuments(others)) < MOST) return
  throw new StatusError('FAILED_PRECONDITION', `There are ${MOST} open links for this loved one. Revoke one first.`)
}
