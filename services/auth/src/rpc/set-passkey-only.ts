import type { SetPasskeyOnlyRequest, SetPasskeyOnlyResponse } from '@family-inbox/proto/auth/v1/auth'
import { type Handler, requirePrincipal } from '@family-inbox/service-kit/rpc/call'
import { requireRecentSignIn } from '@family-inbox/service-kit/rpc/recent-sign-in'
import type { ClientSession } from 'mongoose'
import type { Context } from '../context.ts'
import { crashPoint } from '../crash-points.ts'
import { requireWayBack } from '../passkeys/passkey-only.ts'
import { mailNotice } from '../sign-in/account-notice.ts'
import { signInFirst } from '../sign-in/active-session.ts'

/** As long as a mail with the same id is queued once. */
const ASKED_AGAIN_MS = 5 * 60_000
const ADVICE = 'First add a second passkey, or make a recovery sheet. Then one lost device doesn’t lock you out.'

/** Turning it on ends every other session: one of them may have begun with a code from the mailbox. */
export function setPasskeyOnly(ctx: Context): Handler<SetPasskeyOnlyRequest, SetPasskeyOnlyResponse> {
  return async ({ passkeyOnly }, call) => {
    const { personId, credentialId: sessionId } = requirePrincipal(call)
    requireRecentSignIn(call)
    const person = await ctx.people.findById(personId, { email: 1, passkeyOnlySince: 1 }).lean()
    if (person === null) throw signInFirst()
    if (passkeyOnly) {
      const since = await turnOn(ctx, personId, sessionId)
      crashPoint('passkey-only-stored')
      // Whoever had no answer asks again: it is the same mail.
      const isNew = Date.now() - since.getTime() < ASKED_AGAIN_MS
      if (isNew) await mailNotice(ctx, person.email, TURNED_ON, [personId, since.getTime()])
      return {}
    }
    await turnOff(ctx, personId)
    if (person.passkeyOnlySince !== undefined) await mailNotice(ctx, person.email, TURNED_OFF)
    return {}
  }
}

/** Together with the other sessions: a crash must not leave one of them. @returns since when */
function turnOn(ctx: Context, personId: string, sessionId: string): Promise<Date> {
  return ctx.connection.transaction(async (session) => {
    await requireStillSignedIn(ctx, sessionId, session)
    await requireWayBack(ctx, personId, ADVICE, session)
    const now = new Date()
    const since = { $ifNull: ['$passkeyOnlySince', now] }
    const person = await ctx.people
      .findOneAndUpdate({ _id: personId }, [{ $set: { passkeyOnlySince: since, passkeysChangedAt: now } }], {
        session,
        updatePipeline: true,
        returnDocument: 'after',
      })
      .lean()
    await endOtherSessions(ctx, personId, sessionId, session)
    return person?.passkeyOnlySince ?? now
  })
}

/** Two devices that turn it on at once conflict in the person's row. Otherwise, each would end the session of the other. */
async function requireStillSignedIn({ sessions }: Context, _id: string, session: ClientSession): Promise<void> {
  if (!(await sessions.exists({ _id, revokedAt: null }).session(session))) throw signInFirst()
}

async function turnOff({ people }: Context, personId: string): Promise<void> {
  const off = { $unset: { passkeyOnlySince: 1 }, $set: { passkeysChangedAt: new Date() } }
  await people.updateOne({ _id: personId }, off)
}

async function endOtherSessions(
  ctx: Context,
  personId: string,
  sessionId: string,
  session: ClientSession,
): Promise<void> {
  await ctx.sessions.updateMany(
    { personId, _id: { $ne: sessionId }, revokedAt: null },
    [{ $set: { revokedAt: '$$NOW' } }],
    { updatePipeline: true, session },
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
