import type { ListPasskeysRequest, ListPasskeysResponse } from '@family-inbox/proto/auth/v1/auth'
import { type Handler, requirePrincipal } from '@family-inbox/service-kit/rpc/call'
import type { Context } from '../context.ts'
import { PASSKEY_FIELDS, toWirePasskey } from '../wire.ts'

/** Returns all of them: at most 20. */
export function listPasskeys(ctx: Context): Handler<ListPasskeysRequest, ListPasskeysResponse> {
  return async (_request, call) => {
    const { personId } = requirePrincipal(call)
    const passkeys = await ctx.passkeys.find({ personId }, PASSKEY_FIELDS).sort({ createdAt: -1, _id: -1 }).lean()
    const person = await ctx.people.findById(personId, { passkeyOnlySince: 1 }).lean()
    const sheet = await ctx.recoverySheets.findById(personId).lean()
    return {
      passkeys: passkeys.map(toWirePasskey),
      passkeyOnlySince: person?.passkeyOnlySince,
      recoverySheetAt: sheet?.createdAt,
      recoveryCodesLeft: sheet?.hashes.length,
    }
  }
}
