import type {
  CreateProviderCodeRequest,
  CreateProviderCodeResponse,
} from '@family-inbox/proto/carecircle/v1/care_circle'
import { newId } from '@family-inbox/service-kit/ids/ids'
import { isDuplicateKey } from '@family-inbox/service-kit/mongo/mongo'
import type { Handler } from '@family-inbox/service-kit/rpc/call'
import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import { optionalLine } from '@family-inbox/service-kit/rpc/text-rules'
import { DAY_MS } from '@family-inbox/service-kit/time/days'
import type { Context } from '../context.ts'
import { deriveProviderCode, hashProviderCode, type ProviderCode, usableCodes } from '../models/provider-code.ts'
import { requireMember } from '../require-member.ts'

const LIFETIME_MS = 7 * DAY_MS
const MAX_USABLE = 20

/** A retry with the same idempotency key returns the same code, because a browser shows only the last response. */
export function createProviderCode(ctx: Context): Handler<CreateProviderCodeRequest, CreateProviderCodeResponse> {
  return async (request, call) => {
    const { lovedOneId } = request
    const { workspaceId, personId } = await requireMember(ctx, call, { lovedOneId, write: true })
    const idempotencyKey = optionalLine('idempotencyKey', request.idempotencyKey ?? '', 200)
    const requested = { workspaceId, lovedOneId, createdBy: personId }
    const { _id, expiresAt } = await createOnce(ctx, { ...requested, ...(idempotencyKey !== '' && { idempotencyKey }) })
    return { code: deriveProviderCode(ctx.config.invitationKey, _id), codeId: _id, expiresAt }
  }
}

type CodeRequest = Pick<ProviderCode, 'workspaceId' | 'lovedOneId' | 'createdBy' | 'idempotencyKey'>

async function createOnce(ctx: Context, requested: CodeRequest): Promise<ProviderCode> {
  const earlier = requested.idempotencyKey && (await ctx.providerCodes.findOne(requested).lean())
  if (earlier) return earlier
  await requireBelowLimit(ctx, requested)
  const createdAt = new Date()
  const expiresAt = new Date(createdAt.getTime() + LIFETIME_MS)
  const _id = newId('pc')
  const code = deriveProviderCode(ctx.config.invitationKey, _id)
  const codeHash = hashProviderCode(ctx.config.invitationKey, code)
  const row: ProviderCode = { _id, ...requested, codeHash, ending: code.slice(-2), createdAt, expiresAt }
  try {
    await ctx.providerCodes.insertOne(row)
    return row
  } catch (error) {
    // Either the same request was first, or (1 in 10¹²) two codes collide.
    if (isDuplicateKey(error)) return createOnce(ctx, requested)
    throw error
  }
}

async function requireBelowLimit(ctx: Context, { workspaceId, lovedOneId }: CodeRequest): Promise<void> {
  const usable = await ctx.providerCodes.countDocuments({ workspaceId, lovedOneId, ...usableCodes() })
  if (usable < MAX_USABLE) return
  throw new StatusError(
    'FAILED_PRECONDITION',
    `There are ${MAX_USABLE} unused codes for this loved one. Cancel one first, or wait until one expires.`,
  )
}
