import type { IncomingMessage } from 'node:http'
import { findSessionCookie } from '@family-inbox/service-kit/http/session-cookie'
import type Provider from 'oidc-provider'
import type { Context } from '../context.ts'
import { hashSecret } from '../secret.ts'
import { IS_ACTIVE } from '../sign-in/active-session.ts'

/**
 * Removes oidc-provider's own session cookie unless it belongs to the person signed in here, so consent is asked
 * again.
 */
export async function dropStaleSession(ctx: Context, provider: Provider, req: IncomingMessage): Promise<void> {
  const name = provider.cookieName('session')
  const cookies = (req.headers.cookie ?? '').split(/; */)
  const recent = cookies.find((cookie) => cookie.startsWith(`${name}=`))?.slice(name.length + 1)
  if (recent === undefined) return
  const [personId, session] = await Promise.all([findSignedInPerson(ctx, req), provider.Session.find(recent)])
  if (personId !== undefined && session?.accountId === personId) return
  req.headers.cookie = cookies
    .filter((cookie) => !cookie.startsWith(`${name}=`) && !cookie.startsWith(`${name}.sig=`))
    .join('; ')
}

/** Returns the id of the person signed in in this browser, if any. */
export async function findSignedInPerson(ctx: Context, req: IncomingMessage): Promise<string | undefined> {
  const secret = findSessionCookie(req.headers.cookie, ctx.config.urls.inbox)
  if (secret === undefined) return undefined
  const session = await ctx.sessions
    .findOne({ hash: hashSecret(secret), revokedAt: null, $expr: IS_ACTIVE }, { personId: 1 })
    .lean()
  return session?.personId
}
