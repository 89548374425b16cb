import type { FinishSetUpRequest, FinishSetUpResponse } from '@family-inbox/proto/auth/v1/auth'
import { newId } from '@family-inbox/service-kit/ids/ids'
import { type Handler, requireService } from '@family-inbox/service-kit/rpc/call'
import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import { requireEmail } from '@family-inbox/service-kit/rpc/text-rules'
import { requirePlainLine } from '@family-inbox/workspace-kit/plain-words'
import type { Context } from '../context.ts'
import type { Person } from '../models/person.ts'
import { SET_UP } from '../models/set-up-code.ts'
import { beginSession } from '../sign-in/begin-session.ts'
import { rememberDevice } from '../sign-in/known-device.ts'
import { releaseSetUpCode, useSetUpCode } from '../sign-in/set-up.ts'

type Founder = { email: string; name: string; familyName: string }

/**
 * The code proves the operator, so the email needs no proof, and its person sees the operator's page. When care-circle answers too
 * late, the same code with the same email finds the family that is there by then.
 */
export function finishSetUp(ctx: Context): Handler<FinishSetUpRequest, FinishSetUpResponse> {
  return async (request, call) => {
    requireService(call, 'site')
    const founder = {
      email: requireEmail('email', request.email),
      name: requirePlainLine('name', request.name, 120),
      familyName: requirePlainLine('familyName', request.familyName, 120),
    }
    await useSetUpCode(ctx, request.code)
    const person = await createFamily(ctx, founder, call.deadline)
    await ctx.people.updateOne({ _id: person._id }, { $min: { operatorSince: new Date() } })
    await ctx.setUpCodes.deleteOne({ _id: SET_UP })
    const { secret, endsAt } = await beginSession(ctx, person, request.userAgent)
    const device = rememberDevice(ctx.config, request.device ?? '', founder.email)
    return { session: secret, expiresAt: endsAt, device }
  }
}

/** If there is none then, the code works again: it belongs to whoever has the family, or will. */
async function createFamily(ctx: Context, founder: Founder, deadline: number): Promise<Person> {
  const { email, name, familyName } = founder
  try {
    const person = await findOrCreatePerson(ctx, founder)
    const request = { name: familyName, personId: person._id, email, ownerName: name }
    await ctx.careCircle.createFirstWorkspace(request, { deadline })
    return person
  } catch (error) {
    await releaseSetUpCode(ctx)
    throw error instanceof StatusError && error.status === 'FAILED_PRECONDITION' ? alreadySetUp() : error
  }
}

/** The email may have an account that is left from a family that was deleted. */
async function findOrCreatePerson({ people }: Context, { email, name }: Founder): Promise<Person> {
  const fresh = { _id: newId('per'), name, createdAt: new Date() }
  return people.findOneAndUpdate({ email }, { $setOnInsert: fresh }, { upsert: true, returnDocument: 'after' }).lean()
}

function alreadySetUp(): StatusError {
  return new StatusError('NOT_FOUND', 'There is a family here already.')
}
