import type { FinishRecoverySignInRequest, FinishRecoverySignInResponse } from '@family-inbox/proto/auth/v1/auth'
import { type Handler, requireService } from '@family-inbox/service-kit/rpc/call'
import { invalidArgument } from '@family-inbox/service-kit/rpc/status-error'
import { requireEmail } from '@family-inbox/service-kit/rpc/text-rules'
import { RECOVERY_CODES, spendTry } from '../admission/spend-try.ts'
import type { Context } from '../context.ts'
import type { Person } from '../models/person.ts'
import { hashRecoveryCode } from '../passkeys/recovery-code.ts'
import { mailNotice } from '../sign-in/account-notice.ts'
import { isAdmitted } from '../sign-in/admitted.ts'
import { beginSession } from '../sign-in/begin-session.ts'
import { rememberDevice } from '../sign-in/known-device.ts'

/** The same steps and the same error for an unknown address and a wrong code. */
export function finishRecoverySignIn(ctx: Context): Handler<FinishRecoverySignInRequest, FinishRecoverySignInResponse> {
  return async (request, call) => {
    requireService(call, 'site')
    const email = requireEmail('email', request.email)
    await spendTry(ctx, RECOVERY_CODES, email, request)
    const [person, admitted] = await Promise.all([
      ctx.people.findOne({ email }).lean(),
      isAdmitted(ctx, email, call.deadline),
    ])
    const left = await useCode(ctx, admitted ? (person?._id ?? '') : '', request.code)
    if (person === null || left === undefined)
      throw invalidArgument('code', 'This code isn’t right for this address, or was already used.')
    await mailNotice(ctx, email, { subject: 'A recovery code was used', text: wordsOf(left) })
    const { secret, endsAt } = await beginSession(ctx, person, request.userAgent)
    return { session: secret, expiresAt: endsAt, device: rememberDevice(ctx.config, request.device ?? '', email) }
  }
}

/** One atomic step, so that a code works once. @returns how many are left */
async function useCode(ctx: Context, personId: Person['_id'], typed: string): Promise<number | undefined> {
  const hash = hashRecoveryCode(personId, typed)
  const sheet = await ctx.recoverySheets
    .findOneAndUpdate({ _id: personId, hashes: hash }, { $pull: { hashes: hash } }, { returnDocument: 'after' })
    .lean()
  return sheet?.hashes.length
}

function wordsOf(left: number): string {
  const rest = left === 0 ? 'None is left' : `${left} ${left === 1 ? 'is' : 'are'} left`
  const advice = left < 3 ? ' Make a new sheet under Settings, Passkeys.' : ''
  return `Someone signed in to your account with a code of your recovery sheet. ${rest}.${advice}`
}
