import type { SetPasskeyOnlyRequest, SetPasskeyOnlyResponse } from '@family-inbox/proto/auth/v1/auth'
import { type Handler, requirePrincipal } from '@family-inbox/service-kit/rpc/call'
import { requireRecentSignIn } from '@family-inbox/service-kit/rpc/recent-sign-in'
import type { Context } from '../context.ts'
import { requireWayBack } from '../passkeys/passkey-only.ts'
import { mailNotice } from '../sign-in/account-notice.ts'
import { signInFirst } from '../sign-in/active-session.ts'

const ADVICE = 'First add a second passkey, or make a recovery sheet. Then one lost device doesn’t lock you out.'

/** Turning it on ends every other session: one of them may have begun with a code from the mailbox. */
export function setPasskeyOnly(ctx: Context): Handler<SetPasskeyOnlyRequest, SetPasskeyOnlyResponse> {
  return async ({ passkeyOnly }, call) => {
    const { personId, credentialId: sessionId } = requirePrincipal(call)
    requireRecentSignIn(call)
    const person = await ctx.people.findById(personId, { email: 1, passkeyOnlySince: 1 }).lean()
    if (person === null) throw signInFirst()
    await store(ctx, personId, passkeyOnly)
    if (passkeyOnly) await endOtherSessions(ctx, personId, sessionId)
    const hasChanged = passkeyOnly !== (person.passkeyOnlySince !== undefined)
    if (hasChanged) await mailNotice(ctx, person.email, passkeyOnly ? TURNED_ON : TURNED_OFF)
    return {}
  }
}

async function store(ctx: Context, personId: string, passkeyOnly: boolean): Promise<void> {
  const now = new Date()
  await ctx.connection.transaction(async (session) => {
    if (!passkeyOnly) {
      const off = { $unset: { passkeyOnlySince: 1 }, $set: { passkeysChangedAt: now } }
      return ctx.people.updateOne({ _id: personId }, off, { session })
    }
    await requireWayBack(ctx, personId, ADVICE, session)
    const on = { passkeyOnlySince: now, passkeysChangedAt: now }
    return ctx.people.updateOne({ _id: personId }, { $set: on }, { session })
  })
}

async function endOtherSessions(ctx: Context, personId: string, sessionId: string): Promise<void> {
  await ctx.sessions.updateMany(
    { personId, _id: { $ne: sessionId }, revokedAt: null },
    [{ $set: { revokedAt: '$$NOW' } }],
    { updatePipeline: true },
  )
}

const TURNED_ON = {
  subject: 'Your account signs in with a passkey only',
  text: 'Codes by email no longer sign you in. Your other devices were signed out: sign in there with a passkey.',
}

const TURNED_OFF = {
  subject: 'Sign-in codes work again',
  text: 'Your account accepts codes by email again. Anyone with access to your email can sign in.',
}
