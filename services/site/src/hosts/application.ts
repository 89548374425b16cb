import { type RequestHandler, Router } from 'express'
import type { Config } from '../config.ts'
import type { Context } from '../context.ts'
import { assetRouter } from '../http/asset-router.ts'
import { answerError } from '../http/error-reply.ts'
import { mountRoutes, noSuchPage } from '../http/mount-routes.ts'
import { securityHeaders } from '../http/security-headers.ts'
import { applicationRoutes } from '../routes/index.ts'

/** `{inbox_url}`: the application. */
export function applicationHost(ctx: Context): Router {
  const router = Router({ caseSensitive: true, strict: true })
  const headers = securityHeaders(ctx.config)
  router.use((_req, res, next) => {
    res.set(headers)
    next()
  })
  router.use(requireHost(ctx.config))
  router.use(assetRouter(ctx.assets))
  mountRoutes(router, ctx, applicationRoutes(ctx))
  router.use(noSuchPage(ctx), answerError(ctx))
  return router
}

/** A Host that is not ours is answered 421 (RFC 9110 section 15.5.20): it is how DNS rebinding looks. */
function requireHost({ urls }: Pick<Config, 'urls'>): RequestHandler {
  const ownHost = new URL(urls.inbox).host
  return (req, res, next) => {
    if (req.headers.host?.toLowerCase() === ownHost) return next()
    const hint = 'Use the address you were given.'
    res.status(421).json({ error: { code: 'bad_request', message: 'This host is not served here.', hint } })
  }
}
