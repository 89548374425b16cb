import type { CreatePersonRequest, CreatePersonResponse } from '@family-inbox/proto/auth/v1/auth'
import { newId } from '@family-inbox/service-kit/ids/ids'
import { isDuplicateKey } from '@family-inbox/service-kit/mongo/mongo'
import { type Handler, requireService } from '@family-inbox/service-kit/rpc/call'
import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import { requireEmail, requireLine } from '@family-inbox/service-kit/rpc/text-rules'
import type { Context } from '../context.ts'

/** For the operator. Refuses known emails, so that the returned principal never acts for an existing user. */
export function createPerson(ctx: Context): Handler<CreatePersonRequest, CreatePersonResponse> {
  return async (request, call) => {
    const holder = requireService(call, 'ops')
    const email = requireEmail('email', request.email)
    const name = requireLine('name', request.name, 120)
    const personId = newId('per')
    await insertNew(ctx, { _id: personId, email, name, createdAt: new Date() })
    const verifiedAt = Math.floor(Date.now() / 1000)
    const claims = { personId, workspaceId: '', credentialId: newId('setup'), email, verifiedAt }
    const principal = await ctx.identity.principalToken(claims, holder)
    return { personId, principal }
  }
}

async function insertNew(
  ctx: Context,
  person: { _id: string; email: string; name: string; createdAt: Date },
): Promise<void> {
  try {
    await ctx.people.insertOne(person)
  } catch (error) {
    if (isDuplicateKey(error))
      throw new StatusError('ALREADY_EXISTS', 'A person with this email already exists.', { field: 'email' })
    throw error
  }
}
