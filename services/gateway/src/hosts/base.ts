import { Router } from 'express'
import type { Context } from '../context.ts'
import { proxyTo } from '../http/proxy.ts'

/** `{base_url}`: the public site. */
export function baseHost(ctx: Context): Router {
  return Router().use(proxyTo(ctx, ctx.config.siteHttpAddress, 'base'))
}
