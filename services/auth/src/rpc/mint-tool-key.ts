import type { MintToolKeyRequest, MintToolKeyResponse } from '@family-inbox/proto/auth/v1/auth'
import { newId } from '@family-inbox/service-kit/ids'
import { isDuplicateKey } from '@family-inbox/service-kit/mongo'
import type { Handler } from '@family-inbox/service-kit/rpc/call'
import { invalidArgument, StatusError } from '@family-inbox/service-kit/status-error'
import { optionalLine, requireLine } from '@family-inbox/service-kit/text-rules'
import type { Context } from '../context.ts'
import { generateToolKey, hashToolKey, type ToolKey } from '../models/tool-key.ts'
import { SCOPES } from '../scopes.ts'
import { toWireKey } from '../wire-key.ts'

/** More than a person has assistants; each is a door that stands open until somebody closes it. */
const MAX_LIVE = 50

/**
 * Mints a tool key for the caller, bound to their household. Its secret is in this answer and nowhere else: the same
 * idempotency key again is answered with the key it made, without the secret.
 */
export function mintToolKey(ctx: Context): Handler<MintToolKeyRequest, MintToolKeyResponse> {
  return async (request, call) => {
    const { workspaceId, personId } = await ctx.requireMember(call)
    const name = requireLine('name', request.name, 80)
    requireKnownScopes(request.scopes)
    const idempotencyKey = optionalLine('idempotencyKey', request.idempotencyKey ?? '', 200)
    const secret = generateToolKey()
    const minted: ToolKey = {
      _id: newId('key'),
      hash: hashToolKey(secret),
      personId,
      workspaceId,
      name,
      scopes: request.scopes,
      ...(idempotencyKey !== '' && { idempotencyKey }),
      createdAt: new Date(),
      calls: [],
    }
    const key = await insertOnce(ctx, minted)
    return { key: toWireKey(key), secret: key._id === minted._id ? secret : '' }
  }
}

/** The new row, or the one an earlier request with the same idempotency key made. */
async function insertOnce(ctx: Context, key: ToolKey): Promise<ToolKey> {
  const { workspaceId, personId, idempotencyKey } = key
  const owner = { workspaceId, personId }
  if ((await ctx.toolKeys.countDocuments({ ...owner, revokedAt: null })) >= MAX_LIVE) {
    const earlier = idempotencyKey && (await ctx.toolKeys.findOne({ ...owner, idempotencyKey }).lean())
    if (earlier) return earlier
    throw new StatusError(
      'FAILED_PRECONDITION',
      `You have ${MAX_LIVE} keys that work. Revoke one you do not need first.`,
    )
  }
  try {
    await ctx.toolKeys.insertOne(key)
    return key
  } catch (error) {
    if (!isDuplicateKey(error)) throw error
  }
  return ctx.toolKeys
    .findOne({ ...owner, idempotencyKey })
    .lean()
    .orFail()
}

function requireKnownScopes(scopes: string[]): void {
  const unknown = scopes.find((scope) => !SCOPES.has(scope))
  if (unknown !== undefined) throw invalidArgument('scopes', `scopes may hold ${[...SCOPES].join(', ')}.`)
}
