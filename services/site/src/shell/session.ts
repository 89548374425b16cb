import type { ResolveSessionResponse } from '@family-inbox/proto/auth/v1/auth'
import type { CallOptions } from '@family-inbox/service-kit/rpc/dial'
import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import type { Context } from '../context.ts'
import type { Viewer } from './page.ts'
import { safeReturnTo, withReturnTo } from './return-to.ts'
import type { Reply, Visit, VisitHandler } from './visit.ts'

/** Who is signed in, as auth says at this very visit. */
export type Session = ResolveSessionResponse

export type SignedInHandler = (visit: Visit, session: Session) => Promise<Reply>

/**
 * The session the browser's cookie stands for; undefined when there is none, or it has ended. A form counts as one of those
 * the person may send in a minute.
 */
export async function findSession(ctx: Context, visit: Visit): Promise<Session | undefined> {
  const { cookies } = visit
  if (cookies.session === '') return undefined
  try {
    return await ctx.auth.resolveSession(
      { session: cookies.session, sendsForm: visit.method === 'POST' },
      asSite(visit),
    )
  } catch (error) {
    if (error instanceof StatusError && ENDED.has(error.status)) return undefined
    throw error
  }
}

const ENDED = new Set<string>(['UNAUTHENTICATED', 'NOT_FOUND', 'INVALID_ARGUMENT'])

/** A handler for people who are signed in; everybody else is sent to sign in, and back afterwards. */
export function signedIn(ctx: Context, handler: SignedInHandler): VisitHandler {
  return async (visit) => {
    const session = await findSession(ctx, visit)
    if (session !== undefined) return handler(visit, session)
    return { redirectTo: withReturnTo('/sign-in', safeReturnTo(visit.path)) }
  }
}

/** How a call is made for the site itself: until the visit's deadline. */
export function asSite({ deadline }: Visit): CallOptions {
  return { deadline }
}

/** How a call is made for the person: with their principal, until the visit's deadline, and for no longer than they wait. */
export function asPerson({ principal }: { principal: string }, { deadline, signal }: Visit): CallOptions {
  return { token: principal, deadline, signal }
}

export function toViewer({ email }: Session): Viewer {
  return { email }
}
