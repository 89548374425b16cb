import type { MakeRecoverySheetRequest, MakeRecoverySheetResponse } from '@family-inbox/proto/auth/v1/auth'
import { type Handler, requirePrincipal } from '@family-inbox/service-kit/rpc/call'
import { requireRecentSignIn } from '@family-inbox/service-kit/rpc/recent-sign-in'
import type { Context } from '../context.ts'
import { hashRecoveryCode, newRecoveryCodes } from '../passkeys/recovery-code.ts'
import { mailNotice } from '../sign-in/account-notice.ts'
import { signInFirst } from '../sign-in/active-session.ts'

/** Replaces the sheet before, whose codes end. */
export function makeRecoverySheet(ctx: Context): Handler<MakeRecoverySheetRequest, MakeRecoverySheetResponse> {
  return async (_request, call) => {
    const { personId } = requirePrincipal(call)
    requireRecentSignIn(call)
    const person = await ctx.people.findById(personId, { email: 1 }).lean()
    if (person === null) throw signInFirst()
    const codes = newRecoveryCodes()
    const sheet = { hashes: codes.map((code) => hashRecoveryCode(personId, code)), createdAt: new Date() }
    await ctx.recoverySheets.replaceOne({ _id: personId }, sheet, { upsert: true })
    await mailNotice(ctx, person.email, {
      subject: 'You have a new recovery sheet',
      text: 'A new sheet of recovery codes was made for your account. Codes of an earlier sheet no longer work.',
    })
    return { codes }
  }
}
