import type {
  CreateProviderCodeRequest,
  CreateProviderCodeResponse,
} from '@family-inbox/proto/carecircle/v1/care_circle'
import { newId, randomText } from '@family-inbox/service-kit/ids'
import { isDuplicateKey } from '@family-inbox/service-kit/mongo'
import type { Handler } from '@family-inbox/service-kit/rpc/call'
import { StatusError } from '@family-inbox/service-kit/status-error'
import type { Context } from '../context.ts'
import { hashProviderCode, type ProviderCode } from '../models/provider-code.ts'
import { usableCodes } from '../provider-codes.ts'
import { requireMember } from '../require-member.ts'

const CODE_LENGTH = 8
const LIFETIME_MS = 7 * 24 * 60 * 60 * 1000
const MOST_USABLE = 20

/** Mints a code for one loved one: 7 days, used once, shown in this answer only. Owner and coordinators only. */
export function createProviderCode(ctx: Context): Handler<CreateProviderCodeRequest, CreateProviderCodeResponse> {
  return async ({ lovedOneId }, call) => {
    const { workspaceId, personId } = await requireMember(ctx, call, { lovedOneId, write: true })
    await requireRoom(ctx, workspaceId, lovedOneId)
    const createdAt = new Date()
    const expiresAt = new Date(createdAt.getTime() + LIFETIME_MS)
    const _id = newId('pc')
    const code = await store(ctx, { _id, workspaceId, lovedOneId, createdBy: personId, createdAt, expiresAt })
    return { code, codeId: _id, expiresAt }
  }
}

async function requireRoom(ctx: Context, workspaceId: string, lovedOneId: string): Promise<void> {
  const usable = await ctx.providerCodes.countDocuments({ workspaceId, lovedOneId, ...usableCodes() })
  if (usable < MOST_USABLE) return
  throw new StatusError(
    'FAILED_PRECONDITION',
    `There are ${MOST_USABLE} unused codes for this loved one. Void one first, or wait until one expires.`,
  )
}

/** Stores it under a code no other has. */
async function store(ctx: Context, row: Omit<ProviderCode, 'codeHash' | 'ending'>): Promise<string> {
  const code = randomText(CODE_LENGTH).toUpperCase()
  try {
    const codeHash = hashProviderCode(ctx.config.invitationKey, code)
    await ctx.providerCodes.insertOne({ ...row, codeHash, ending: code.slice(-2) })
    return code
  } catch (error) {
    // One in a million million draws what another code has; what else could be a duplicate is the random id.
    if (isDuplicateKey(error)) return store(ctx, row)
    throw error
  }
}
