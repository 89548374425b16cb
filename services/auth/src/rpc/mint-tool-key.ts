import type { MintToolKeyRequest, MintToolKeyResponse } from '@family-inbox/proto/auth/v1/auth'
import { newId } from '@family-inbox/service-kit/ids'
import type { Handler } from '@family-inbox/service-kit/rpc/call'
import { invalidArgument } from '@family-inbox/service-kit/status-error'
import { requireLine } from '@family-inbox/service-kit/text-rules'
import type { Context } from '../context.ts'
import { generateToolKey, hashToolKey } from '../models/tool-key.ts'
import { SCOPES } from '../scopes.ts'
import { toWireKey } from '../wire-key.ts'

/** Mints a tool key for the caller, bound to their household. Its secret is in this answer and nowhere else. */
export function mintToolKey(ctx: Context): Handler<MintToolKeyRequest, MintToolKeyResponse> {
  return async (request, call) => {
    const member = await ctx.requireMember(call)
    const name = requireLine('name', request.name, 80)
    requireKnownScopes(request.scopes)
    const secret = generateToolKey()
    const key = await ctx.toolKeys.insertOne({
      _id: newId('key'),
      hash: hashToolKey(secret),
      personId: member.personId,
      workspaceId: member.workspaceId,
      name,
      scopes: request.scopes,
      createdAt: new Date(),
      calls: [],
    })
    return { key: toWireKey(key), secret }
  }
}

function requireKnownScopes(scopes: string[]): void {
  const unknown = scopes.find((scope) => !SCOPES.has(scope))
  if (unknown !== undefined) throw invalidArgument('scopes', `scopes may hold ${[...SCOPES].join(', ')}.`)
}
