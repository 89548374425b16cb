import type { ResolveSessionRequest, ResolveSessionResponse } from '@family-inbox/proto/auth/v1/auth'
import { type Handler, requireService } from '@family-inbox/service-kit/rpc/call'
import { enforceRateLimit, FORMS_OF_PERSON } from '../admission/rate-limit.ts'
import type { Context } from '../context.ts'
import { principalOf, requireSession, signInFirst } from '../sign-in/active-session.ts'

/** Counts no call; a form counts against the person's form limit. */
export function resolveSession(ctx: Context): Handler<ResolveSessionRequest, ResolveSessionResponse> {
  return async (request, call) => {
    const holder = requireService(call, 'site', 'gateway')
    const session = await requireSession(ctx, request.session)
    if (request.sendsForm) await enforceRateLimit(ctx, FORMS_OF_PERSON, session.personId)
    const [principal, person] = await Promise.all([
      principalOf(ctx, session, holder),
      ctx.people.findById(session.personId, { name: 1 }).lean(),
    ])
    if (person === null) throw signInFirst()
    return {
      principal,
      sessionId: session._id,
      personId: session.personId,
      email: session.email,
      name: person.name,
      workspaceId: session.workspaceId,
    }
  }
}
