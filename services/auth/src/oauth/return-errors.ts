import type { KoaContextWithOIDC } from 'oidc-provider'
import type { Context } from '../context.ts'
import { signedInPerson } from './follow-sign-in.ts'
import type { Provider } from './provider.ts'

const AUTHORIZE = '/oauth/authorize'

/**
 * Sends a browser back with an error only where a person trusts the application. Anybody may register an application and its
 * address: a link to us that cannot succeed would otherwise carry a person on to any site (RFC 9700 section 4.11.2). So an
 * error goes to the application when the person decided on our page, or has it connected already; all others see our page.
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

/** Whether the person who is signed in in this browser has allowed the application, and still does. */
async function isConnected(ctx: Context, koa: Pick<KoaContextWithOIDC, 'req' | 'query'>): Promise<boolean> {
  const { client_id: clientId } = koa.query
  if (typeof clientId !== 'string') return false
  const personId = await signedInPerson(ctx, koa.req)
  if (personId === undefined) return false
  const live = { personId, clientId, workspaceId: { $ne: '' }, revokedAt: null, expiresAt: { $gt: new Date() } }
  return (await ctx.grants.exists(live)) !== null
}
