import type { ResolveSessionResponse } from '@family-inbox/proto/auth/v1/auth'
import type { CallOptions } from '@family-inbox/service-kit/rpc/dial'
import { needsRecentSignIn } from '@family-inbox/service-kit/rpc/recent-sign-in'
import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import type { Context } from '../context.ts'
import { CONFIRMATION_SECONDS, writeConfirmation } from './confirmation.ts'
import type { Viewer } from './page.ts'
import { safeReturnTo, withReturnTo } from './return-to.ts'
import type { Reply, Visit, VisitHandler } from './visit.ts'

/** The signed-in person; auth resolves it for every request. */
export type Session = ResolveSessionResponse

export type SignedInHandler = (visit: Visit, session: Session) => Promise<Reply>

const SESSION_ENDED = new Set<string>(['UNAUTHENTICATED', 'NOT_FOUND', 'INVALID_ARGUMENT'])

/**
 * The signed-in reader; undefined for nobody.
 * @param sendsForm whether it counts toward the form rate limit
 */
export async function findSession(ctx: Context, visit: Visit, sendsForm = isForm(visit)): Promise<Session | undefined> {
  return unlessSignedOut(visit, (session) => ctx.auth.resolveSession({ session, sendsForm }, asSite(visit)))
}

export function isForm({ method }: Visit): boolean {
  return method === 'POST'
}

/** Asks auth about the session cookie; undefined when there is none or it has ended. */
export async function unlessSignedOut<Found>(
  visit: Visit,
  ask: (session: string) => Promise<Found>,
): Promise<Found | undefined> {
  const { session } = visit.cookies
  if (session === '') return undefined
  try {
    const found = await ask(session)
    visit.markSignedIn()
    return found
  } catch (error) {
    if (error instanceof StatusError && SESSION_ENDED.has(error.status)) return undefined
    throw error
  }
}

/** Wraps a handler that needs a session. Everyone else signs in first and then returns. */
export function signedIn(ctx: Context, handler: SignedInHandler): VisitHandler {
  return async (visit) => {
    const session = await findSession(ctx, visit)
    return session === undefined ? signInFirst(visit) : handler(visit, session)
  }
}

export async function signInFirst({ path }: Visit): Promise<Reply> {
  return { redirectTo: withReturnTo('/sign-in', safeReturnTo(path)) }
}

/** Call options for the site itself. Not canceled when the client disconnects. */
export function asSite({ deadline }: Visit): CallOptions {
  return { deadline }
}

/** Call options on behalf of the person, canceled when they disconnect. */
export function asPerson({ principal }: { principal: string }, { deadline, signal }: Visit): CallOptions {
  return { token: principal, deadline, signal }
}

export function toViewer({ email }: { email: string }): Viewer {
  return { email }
}

/**
 * After a refusal, the person confirms their identity and returns to the form with these fields filled in.
 * @param formPath the page with the form, if it has another address than its action
 */
export function recentlySignedIn(
  handler: VisitHandler,
  fieldNames: readonly string[] = [],
  formPath?: string,
): VisitHandler {
  return async (visit) => {
    try {
      return await handler(visit)
    } catch (error) {
      if (!needsRecentSignIn(error)) throw error
      const fields = Object.fromEntries(fieldNames.map((name) => [name, visit.field(name) || visit.query(name)]))
      const value = writeConfirmation({ returnTo: safeReturnTo(formPath ?? visit.path), fields, challenge: '' })
      return { redirectTo: '/confirm', cookies: [{ name: 'confirm', value, maxAgeSec: CONFIRMATION_SECONDS }] }
    }
  }
}
