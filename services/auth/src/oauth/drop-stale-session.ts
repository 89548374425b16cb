import type { IncomingMessage } from 'node:http'
import { findSessionCookie } from '@family-inbox/service-kit/http/session-cookie'
import type Provider from 'oidc-provider'
import type { Context } from '../context.ts'
import { hashSecret } from '../secret.ts'
import { IS_ACTIVE } from '../sign-in/active-session.ts'
import { readCookie } from './find-interaction.ts'

/** Drops oidc-provider's session unless the person signed in here owns it, so that consent is asked again. */
export async function dropStaleSession(ctx: Context, provider: Provider, req: IncomingMessage): Promise<void> {
  const name = provider.cookieName('session')
  const id = readCookie(req.headers.cookie, name)
  if (id === undefined) return
  const [personId, session] = await Promise.all([findSignedInPerson(ctx, req), provider.Session.find(id)])
  if (personId !== undefined && session?.accountId === personId) return
  req.headers.cookie = req.headers.cookie
    ?.split(/; */)
    .filter((cookie) => !cookie.startsWith(`${name}=`) && !cookie.startsWith(`${name}.sig=`))
    .join('; ')
}

export async function findSignedInPerson(ctx: Context, req: IncomingMessage): Promise<string | undefined> {
  const secret = findSessionCookie(req.headers.cookie, ctx.config.urls.inbox)
  if (secret === undefined) return undefined
  const session = await ctx.sessions
    .findOne({ hash: hashSecret(secret), revokedAt: null, $expr: IS_ACTIVE }, { personId: 1 })
    .lean()
  return session?.personId
}
