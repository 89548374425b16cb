import type Provider from 'oidc-provider'
import type { KoaContextWithOIDC } from 'oidc-provider'
import type { Context } from '../context.ts'
import { findSignedInPerson } from './drop-stale-session.ts'

const AUTHORIZE = '/oauth/authorize'

/**
 * Redirects errors to a client only if the person decided on our consent page or has it connected.
 * Otherwise anyone could register a client and use our URLs as an open redirector (RFC 9700 section 4.11.2).
 */
export function returnErrorsToTrusted(ctx: Context, provider: Provider): void {
  const trusted = new WeakSet<object>()
  provider.use(async (koa, next) => {
    if (koa.path === AUTHORIZE && (await isConnected(ctx, koa))) trusted.add(koa.req)
    await next()
  })
  provider.on('authorization.error', (koa, error) => {
    const isDecided = koa.oidc.route === 'resume' && koa.oidc.entities.Interaction?.result !== undefined
    if (!isDecided && !trusted.has(koa.req)) Object.assign(error, { allow_redirect: false })
  })
}

async function isConnected(ctx: Context, koa: Pick<KoaContextWithOIDC, 'req' | 'query'>): Promise<boolean> {
  const { client_id: clientId } = koa.query
  if (typeof clientId !== 'string') return false
  const personId = await findSignedInPerson(ctx, koa.req)
  if (personId === undefined) return false
  const live = { personId, clientId, workspaceId: { $ne: '' }, revokedAt: null, expiresAt: { $gt: new Date() } }
  return (await ctx.grants.exists(live)) !== null
}
