import type { ResolveSessionResponse } from '@family-inbox/proto/auth/v1/auth'
import type { CallOptions } from '@family-inbox/service-kit/rpc/dial'
import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import type { Context } from '../context.ts'
import type { Viewer } from './page.ts'
import { safeReturnTo, withReturnTo } from './return-to.ts'
import type { Reply, Visit, VisitHandler } from './visit.ts'

/** The signed-in person; auth resolves it for every request. */
export type Session = ResolveSessionResponse

export type SignedInHandler = (visit: Visit, session: Session) => Promise<Reply>

const SESSION_ENDED = new Set<string>(['UNAUTHENTICATED', 'NOT_FOUND', 'INVALID_ARGUMENT'])

/** Resolves the session cookie; undefined when there is none or it has ended. A POST counts toward the form rate limit. */
export async function findSession(ctx: Context, visit: Visit): Promise<Session | undefined> {
  const { cookies } = visit
  if (cookies.session === '') return undefined
  try {
    return await ctx.auth.resolveSession(
      { session: cookies.session, sendsForm: visit.method === 'POST' },
      asSite(visit),
    )
  } catch (error) {
    if (error instanceof StatusError && SESSION_ENDED.has(error.status)) return undefined
    throw error
  }
}

/** Wraps a handler that needs a session. Everyone else signs in first and then returns. */
export function signedIn(ctx: Context, handler: SignedInHandler): VisitHandler {
  return async (visit) => {
    const session = await findSession(ctx, visit)
    if (session !== undefined) return handler(visit, session)
    return { redirectTo: withReturnTo('/sign-in', safeReturnTo(visit.path)) }
  }
}

/** Call options for the site itself. Not canceled when the client disconnects. */
export function asSite({ deadline }: Visit): CallOptions {
  return { deadline }
}

/** Call options on behalf of the person, canceled when they disconnect. */
export function asPerson({ principal }: { principal: string }, { deadline, signal }: Visit): CallOptions {
  return { token: principal, deadline, signal }
}

export function toViewer({ email }: Session): Viewer {
  return { email }
}
