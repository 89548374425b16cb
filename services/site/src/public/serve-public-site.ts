import type { RequestListener } from 'node:http'
import { describeError } from '@family-inbox/service-kit/observability/logger'
import type { Switches } from '@family-inbox/workspace-kit/switches'
import type { Context } from '../context.ts'
import { serveHiddenSite } from './hidden-site.ts'
import { makePublicAnswers, servePublic } from './make-answers.ts'

/** The public site as the operator switched it. Its pages, which say who may join, are made once for each state. */
export async function servePublicSite(ctx: Context): Promise<RequestListener> {
  const { config, assets, logger } = ctx
  const hidden = serveHiddenSite(config, assets)
  const made = new Map<string, Promise<RequestListener>>()
  const siteOf = (switches: Pick<Switches, 'signUp' | 'hasSandbox' | 'hasPublicSite'>): Promise<RequestListener> => {
    const { signUp, hasSandbox, hasPublicSite } = switches
    if (!hasPublicSite) return Promise.resolve(hidden)
    const state = `${signUp} ${hasSandbox}`
    const site = made.get(state) ?? makeSite(ctx, switches)
    made.set(state, site)
    site.catch(() => made.delete(state))
    return site
  }
  // The first visitor need not wait.
  await siteOf(config)
  return (req, res) => {
    const answer = async () => (await siteOf(await ctx.readSwitches()))(req, res)
    answer().catch((error) => {
      logger.error(describeError(error), 'could not serve the public site')
      res.writeHead(503, { 'Cache-Control': 'no-store' }).end()
    })
  }
}

async function makeSite({ config, assets, logger }: Context, switches: Partial<Switches>): Promise<RequestListener> {
  return servePublic(config, await makePublicAnswers({ ...config, ...switches }, assets, logger))
}
