import { Router } from 'express'
import type { Context } from '../context.ts'
import { proxyTo } from '../http/proxy.ts'
import type { RecentAnswers } from '../http/recent-answers.ts'

/** `{base_url}`: the public site. */
export function baseHost(ctx: Context, recent: RecentAnswers): Router {
  return Router().use(proxyTo(ctx, ctx.config.siteHttpAddress, 'base', { recent }))
}
