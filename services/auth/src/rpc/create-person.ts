import type { CreatePersonRequest, CreatePersonResponse } from '@family-inbox/proto/auth/v1/auth'
import { newId } from '@family-inbox/service-kit/ids/ids'
import { isDuplicateKey } from '@family-inbox/service-kit/mongo/mongo'
import { type Handler, requireService } from '@family-inbox/service-kit/rpc/call'
import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import { requireEmail, requireLine } from '@family-inbox/service-kit/rpc/text-rules'
import type { Context } from '../context.ts'
import type { Person } from '../models/person.ts'
import { forReview } from '../sign-in/review-code.ts'

/** For the operator. Refuses known emails, so that the returned principal never acts for an existing user. */
export function createPerson(ctx: Context): Handler<CreatePersonRequest, CreatePersonResponse> {
  return async (request, call) => {
    const holder = requireService(call, 'ops')
    const email = requireEmail('email', request.email)
    const name = requireLine('name', request.name, 120)
    const personId = newId('per')
    const review = request.reviewCode === undefined ? {} : forReview(ctx, request.reviewCode)
    const person: Person = { _id: personId, email, name, createdAt: new Date(), ...review }
    await insertNew(ctx, person)
    const verifiedAt = Math.floor(Date.now() / 1000)
    const claims = { personId, workspaceId: '', credentialId: newId('setup'), email, verifiedAt }
    const principal = await ctx.identity.principalToken(claims, holder)
    return { personId, principal, endsAt: person.endsAt }
  }
}

async function insertNew(ctx: Context, person: Person): Promise<void> {
  try {
    await ctx.people.insertOne(person)
  } catch (error) {
    if (isDuplicateKey(error))
      throw new StatusError('ALREADY_EXISTS', 'A person with this email already exists.', { field: 'email' })
    throw error
  }
}
