import type { FinishSignInRequest, FinishSignInResponse } from '@family-inbox/proto/auth/v1/auth'
import { newId } from '@family-inbox/service-kit/ids/ids'
import { isDuplicateKey } from '@family-inbox/service-kit/mongo/mongo'
import { type Handler, requireService } from '@family-inbox/service-kit/rpc/call'
import type { Context } from '../context.ts'
import type { Person } from '../models/person.ts'
import { isPasskeyOnly, passkeyOnly } from '../passkeys/passkey-only.ts'
import { hashSecret } from '../secret.ts'
import { isAdmitted, notAdmitted } from '../sign-in/admitted.ts'
import { beginSession } from '../sign-in/begin-session.ts'
import { rememberDevice } from '../sign-in/known-device.ts'
import { redeemCode } from '../sign-in/sign-in-code.ts'

export function finishSignIn(ctx: Context): Handler<FinishSignInRequest, FinishSignInResponse> {
  return async (request, call) => {
    requireService(call, 'site')
    const email = await redeemCode(ctx, request.challenge, request.code)
    if (!(await isAdmitted(ctx, email, call.deadline))) throw notAdmitted()
    const person = await findOrCreatePerson(ctx, email)
    const { secret, endsAt } = await beginSession(ctx, person, request.userAgent)
    await endIfPasskeyOnly(ctx, person, secret)
    return { session: secret, expiresAt: endsAt, device: rememberDevice(ctx.config, request.device ?? '', email) }
  }
}

/** For a code mailed before codes were refused. Checked last, so that a session begun meanwhile ends here or there. */
async function endIfPasskeyOnly(ctx: Context, { _id: personId }: Person, secret: string): Promise<void> {
  if (!(await isPasskeyOnly(ctx, personId))) return
  await ctx.sessions.deleteOne({ hash: hashSecret(secret) })
  throw passkeyOnly()
}

/** @param email normalized by `requireEmail`; look-alike addresses are different people */
async function findOrCreatePerson(ctx: Context, email: string): Promise<Person> {
  const known = await ctx.people.findOne({ email }).lean()
  return known ?? create(ctx, { _id: newId('per'), email, name: '', createdAt: new Date() })
}

async function create(ctx: Context, person: Person): Promise<Person> {
  try {
    await ctx.people.insertOne(person)
    return person
  } catch (error) {
    if (!isDuplicateKey(error)) throw error
    return findOrCreatePerson(ctx, person.email) // a concurrent request has created the person
  }
}
