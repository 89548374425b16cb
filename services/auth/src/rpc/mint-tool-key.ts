import type { MintToolKeyRequest, MintToolKeyResponse } from '@family-inbox/proto/auth/v1/auth'
import { newId } from '@family-inbox/service-kit/ids/ids'
import { isDuplicateKey } from '@family-inbox/service-kit/mongo/mongo'
import type { Handler } from '@family-inbox/service-kit/rpc/call'
import { requireRecentSignIn } from '@family-inbox/service-kit/rpc/recent-sign-in'
import { invalidArgument, StatusError } from '@family-inbox/service-kit/rpc/status-error'
import { optionalLine, requireLine } from '@family-inbox/service-kit/rpc/text-rules'
import type { Context } from '../context.ts'
import { deriveToolKey, generateToolKey, hashToolKey, type ToolKey } from '../models/tool-key.ts'
import { SCOPES } from '../scopes.ts'
import { fromWireAccess, toWireToolKey } from '../wire.ts'

const MAX_ACTIVE = 50

/** A retry with the same idempotency key returns the same secret until the key is used: browsers show the last response. */
export function mintToolKey(ctx: Context): Handler<MintToolKeyRequest, MintToolKeyResponse> {
  return async (request, call) => {
    const { workspaceId, personId, since } = await ctx.requireMember(call)
    requireRecentSignIn(call)
    const name = requireLine('name', request.name, 80)
    requireKnownScopes(request.scopes)
    const idempotencyKey = optionalLine('idempotencyKey', request.idempotencyKey ?? '', 200)
    const access = fromWireAccess(request.access)
    const requested = { workspaceId, personId, name, scopes: request.scopes, ...(access !== undefined && { access }) }
    const secret =
      idempotencyKey === ''
        ? generateToolKey()
        : deriveToolKey(ctx.config.toolKeyDerivationKey, { ...requested, idempotencyKey })
    const hash = hashToolKey(secret)
    const minted = { _id: newId('key'), hash, ...requested, memberSince: since, createdAt: new Date(), calls: [] }
    const key = await insertOrFindEarlier(ctx, minted)
    const isUntouched = key.lastUsedAt === undefined && key.revokedAt === undefined
    return { key: toWireToolKey(key), secret: isUntouched ? secret : '' }
  }
}

async function insertOrFindEarlier(ctx: Context, key: ToolKey): Promise<ToolKey> {
  const { workspaceId, personId, hash } = key
  if ((await ctx.toolKeys.countDocuments({ workspaceId, personId, revokedAt: null })) >= MAX_ACTIVE) {
    const earlier = await ctx.toolKeys.findOne({ hash }).lean()
    if (earlier) return earlier
    throw new StatusError('FAILED_PRECONDITION', `You have ${MAX_ACTIVE} active keys. Revoke one you don’t need first.`)
  }
  try {
    await ctx.toolKeys.insertOne(key)
    return key
  } catch (error) {
    if (!isDuplicateKey(error)) throw error
  }
  return ctx.toolKeys.findOne({ hash }).lean().orFail()
}

function requireKnownScopes(scopes: string[]): void {
  const unknown = scopes.find((scope) => !SCOPES.has(scope))
  if (unknown !== undefined) throw invalidArgument('scopes', `scopes may contain ${[...SCOPES].join(', ')}.`)
}
