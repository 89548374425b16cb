import type { IncomingMessage } from 'node:http'
import type { Context } from '../context.ts'
import { hashSecret } from '../secret.ts'
import { IS_LIVE } from '../sign-in/live-session.ts'
import type { Provider } from './provider.ts'

/** The cookie of a signed-in browser, as the site sets it: `__Host-` on https. */
const SIGN_IN_COOKIE = /(?:^|; ?)(?:__Host-)?family_session=([A-Za-z0-9._~-]{1,200})(?:;|$)/

/**
 * oidc-provider remembers by a session of its own who is there and what was allowed. That memory counts only as long as the
 * same person is signed in here: otherwise its cookie is taken from the request, and the person is asked.
 */
export async function followSignIn(ctx: Context, provider: Provider, req: IncomingMessage): Promise<void> {
  const name = provider.cookieName('session')
  const cookies = (req.headers.cookie ?? '').split(/; */)
  const remembered = cookies.find((cookie) => cookie.startsWith(`${name}=`))?.slice(name.length + 1)
  if (remembered === undefined) return
  const [personId, session] = await Promise.all([signedInPerson(ctx, req), provider.Session.find(remembered)])
  if (personId !== undefined && session?.accountId === personId) return
  req.headers.cookie = cookies.filter((cookie) => !new RegExp(`^${name}(\\.sig)?=`).test(cookie)).join('; ')
}

/** The person who is signed in in the browser that sent a request, if anybody is. */
export async function signedInPerson(ctx: Context, req: IncomingMessage): Promise<string | undefined> {
  const secret = SIGN_IN_COOKIE.exec(req.headers.cookie ?? '')?.[1]
  if (secret === undefined) return undefined
  const session = await ctx.sessions
    .findOne({ hash: hashSecret(secret), revokedAt: null, $expr: IS_LIVE }, { personId: 1 })
    .lean()
  return session?.personId
}
