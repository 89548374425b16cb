import type { IncomingMessage } from 'node:http'
import { findSessionCookie } from '@family-inbox/service-kit/http/session-cookie'
import type { Context } from '../context.ts'
import { hashSecret } from '../secret.ts'
import { IS_LIVE } from '../sign-in/active-session.ts'
import type { Provider } from './provider.ts'

/**
 * Removes oidc-provider's own session cookie unless it belongs to the person signed in here, so consent is asked
 * again.
 */
export async function followSignIn(ctx: Context, provider: Provider, req: IncomingMessage): Promise<void> {
  const name = provider.cookieName('session')
  const cookies = (req.headers.cookie ?? '').split(/; */)
  const remembered = cookies.find((cookie) => cookie.startsWith(`${name}=`))?.slice(name.length + 1)
  if (remembered === undefined) return
  const [personId, session] = await Promise.all([signedInPerson(ctx, req), provider.Session.find(remembered)])
  if (personId !== undefined && session?.accountId === personId) return
  req.headers.cookie = cookies
    .filter((cookie) => !cookie.startsWith(`${name}=`) && !cookie.startsWith(`${name}.sig=`))
    .join('; ')
}

/** Returns the id of the person signed in in this browser, if any. */
export async function signedInPerson(ctx: Context, req: IncomingMessage): Promise<string | undefined> {
  const secret = findSessionCookie(req.headers.cookie, ctx.config.urls.inbox)
  if (secret === undefined) return undefined
  const session = await ctx.sessions
    .findOne({ hash: hashSecret(secret), revokedAt: null, $expr: IS_LIVE }, { personId: 1 })
    .lean()
  return session?.personId
}
