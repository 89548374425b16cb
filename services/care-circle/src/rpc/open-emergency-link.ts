import { timingSafeEqual } from 'node:crypto'
import type { OpenEmergencyLinkRequest, OpenEmergencyLinkResponse } from '@family-inbox/proto/carecircle/v1/care_circle'
import { clientNetwork } from '@family-inbox/service-kit/http/client-network'
import { newId } from '@family-inbox/service-kit/ids/ids'
import { spendRateLimits } from '@family-inbox/service-kit/mongo/rate-limit'
import { type Handler, requireService } from '@family-inbox/service-kit/rpc/call'
import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import type { Context } from '../context.ts'
import {
  type EmergencyLink,
  hashLinkCode,
  hashLinkToken,
  MAX_OPENINGS,
  MAX_WRONG_CODES,
  openLinks,
} from '../models/emergency-link.ts'
import { sheetToWire } from '../models/emergency-sheet.ts'
import { memberId } from '../models/member.ts'

/** All wards of a hospital share a network, so what opens does not count. */
const FAILED_PER_NETWORK = { most: 60, ms: 10 * 60_000 }
const REFUSAL = 'Too many links and codes did not work.'
/** A try that turns out right is given back by then. */
const COMPARED_MS = 2000
const TOKEN = /^[0-9a-z]{32}$/

/** One error for every link and code that does not open. Counts a try before it compares, so that none escapes the limit. */
export function openEmergencyLink(ctx: Context): Handler<OpenEmergencyLinkRequest, OpenEmergencyLinkResponse> {
  return async ({ token, code, clientAddress }, call) => {
    requireService(call, 'site')
    const link = await takeTry(ctx, token)
    const opened = link !== undefined && isRight(ctx, link, code) && (await open(ctx, link))
    if (opened) return opened
    const _id = `emergency-network/${clientNetwork(clientAddress)}`
    await spendRateLimits(ctx.mailLimits, [{ _id, windows: [FAILED_PER_NETWORK], refusal: REFUSAL }], newId('open'))
    throw new StatusError('NOT_FOUND', 'This link or code does not work.')
  }
}

async function takeTry(ctx: Context, token: string): Promise<EmergencyLink | undefined> {
  if (!TOKEN.test(token)) return undefined
  const open = { tokenHash: hashLinkToken(token), ...openLinks() }
  const wrongCodes = { $add: ['$wrongCodes', 1] }
  const isLast = { $gte: [wrongCodes, MAX_WRONG_CODES] }
  const mailDueAt = { $cond: [isLast, new Date(Date.now() + COMPARED_MS), '$mailDueAt'] }
  const link = await ctx.emergencyLinks
    .findOneAndUpdate(open, [{ $set: { wrongCodes, mailDueAt } }], { updatePipeline: true })
    .lean()
  if (link?.wrongCodes === MAX_WRONG_CODES - 1) ctx.wake.emergencyLinks()
  return link ?? undefined
}

function isRight({ config }: Context, { _id, codeHash }: EmergencyLink, typed: string): boolean {
  const code = typed.slice(0, 100).normalize('NFKC').replaceAll(/\D/g, '')
  const given = Buffer.from(hashLinkCode(config.invitationKey, _id, code), 'hex')
  return timingSafeEqual(given, Buffer.from(codeHash, 'hex'))
}

/** Counts the opening and gives the try back; undefined when the link has just ended. */
async function open(ctx: Context, link: EmergencyLink): Promise<OpenEmergencyLinkResponse | undefined> {
  const { _id, workspaceId, lovedOneId, expiresAt } = link
  const [member, lovedOne, sheet] = await Promise.all([
    ctx.members.findById(memberId(workspaceId, link.createdBy), { joinedAt: 1 }).lean(),
    ctx.lovedOnes.findOne({ _id: lovedOneId, workspaceId }, { name: 1 }).lean(),
    ctx.emergencySheets.findOne({ _id: lovedOneId, workspaceId }).lean(),
  ])
  if (lovedOne === null || member?.joinedAt.getTime() !== link.memberSince.getTime()) return undefined
  const openedAt = { $each: [new Date()], $position: 0, $slice: MAX_OPENINGS }
  const counted = await ctx.emergencyLinks.updateOne(
    { _id, revokedAt: null },
    {
      $inc: { wrongCodes: -1, openedCount: 1 },
      $push: { openedAt },
      ...(link.openedCount === 0 && { $set: { mailDueAt: new Date() } }),
    },
  )
  if (link.openedCount === 0) ctx.wake.emergencyLinks()
  if (counted.matchedCount === 0) return undefined
  return { lovedOneName: lovedOne.name, sheet: sheetToWire(sheet), expiresAt, workspaceId, lovedOneId }
}
