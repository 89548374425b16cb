import type { IncomingMessage, ServerResponse } from 'node:http'
import { type HttpServer, serveHttp } from '@family-inbox/service-kit/http/http-server'
import { continueRequests } from '@family-inbox/service-kit/observability/http-requests'
import { describeError } from '@family-inbox/service-kit/observability/logger'
import { answerInTime } from '@family-inbox/service-kit/rpc/deadline'
import type Provider from 'oidc-provider'
import {
  authorizationsFromNetwork,
  type Limit,
  registrationsFromNetwork,
  tokenRequestsFromNetwork,
} from '../admission/rate-limit.ts'
import type { Config } from '../config.ts'
import type { Context } from '../context.ts'
import { decideConsent } from './decide-consent.ts'
import { dropStaleSession } from './drop-stale-session.ts'
import { answerError, answerJson, RETRY_LATER, TOO_LARGE } from './errors.ts'
import { limitRequests } from './limit-requests.ts'
import { normalizeQuery, withNormalizedForm } from './rewrite-request.ts'

const KEEP_ALIVE_MS = 65_000

/** Paths not listed here are 404. */
type Route = {
  allowsAnyOrigin?: true
  limit?: (config: Config) => Limit | undefined
  steps: readonly ('query' | 'form' | 'sign-in')[]
}

const ROUTES: Record<string, Route> = {
  '/.well-known/oauth-authorization-server': { allowsAnyOrigin: true, steps: [] },
  '/.well-known/openid-configuration': { allowsAnyOrigin: true, steps: [] },
  '/oauth/jwks': { allowsAnyOrigin: true, steps: [] },
  '/oauth/register': { allowsAnyOrigin: true, limit: registrationsFromNetwork, steps: [] },
  '/oauth/token': { allowsAnyOrigin: true, limit: tokenRequestsFromNetwork, steps: ['form'] },
  '/oauth/revoke': { allowsAnyOrigin: true, limit: tokenRequestsFromNetwork, steps: [] },
  '/oauth/authorize': { limit: authorizationsFromNetwork, steps: ['query', 'sign-in'] },
}
const CONSENT = /^\/consent\/[\w-]+$/
const RESUME: Route = { limit: authorizationsFromNetwork, steps: ['sign-in'] }

export async function serveOauth(ctx: Context, provider: Provider): Promise<HttpServer> {
  const answer = provider.callback()
  const answerRequest = async (req: IncomingMessage, res: ServerResponse) => {
    if (req.method === 'POST' && CONSENT.test(req.url ?? '')) return decideConsent(ctx, provider, req, res)
    const prepared = await prepare(ctx, provider, req, res)
    if (prepared !== undefined) await answer(prepared, res)
  }
  const handle = async (req: IncomingMessage, res: ServerResponse) => {
    try {
      await answerInTime(answerRequest(req, res))
    } catch (error) {
      if (req.errored) return void res.destroy() // the caller hung up
      ctx.logger.error(describeError(error), 'oauth: a request could not be answered')
      answerError(req, res, 503, RETRY_LATER)
    }
  }
  const { httpHost, httpPort } = ctx.config
  const { tls, plaintext } = ctx.identity.transport
  return serveHttp(continueRequests(handle), {
    host: httpHost,
    port: httpPort,
    keepAliveMs: KEEP_ALIVE_MS,
    tls,
    plaintext,
  })
}

/** @returns undefined when the request has been answered */
async function prepare(
  ctx: Context,
  provider: Provider,
  req: IncomingMessage,
  res: ServerResponse,
): Promise<IncomingMessage | undefined> {
  const [path = ''] = (req.url ?? '').split('?', 1)
  const route = ROUTES[path] ?? (/^\/oauth\/authorize\/[\w-]+$/.test(path) ? RESUME : undefined)
  if (route === undefined) return answerJson(res, 404, { error: 'not_found', error_description: 'no such path' })
  pinAddress(ctx.config.urls.inbox, req)
  if (route.allowsAnyOrigin && allowAnyOrigin(req, res)) return undefined
  const limit = route.limit?.(ctx.config)
  if (limit !== undefined && (await limitRequests(ctx, limit, req, res))) return undefined
  if (route.steps.includes('query')) normalizeQuery(ctx.config.urls, req)
  if (route.steps.includes('sign-in')) await dropStaleSession(ctx, provider, req)
  if (!route.steps.includes('form')) return req
  return (await withNormalizedForm(ctx.config.urls, req)) ?? answerJson(res, 413, TOO_LARGE, { connection: 'close' })
}

/** oidc-provider builds URLs from these headers, and the caller controls what arrives. */
function pinAddress(issuer: string, req: IncomingMessage): void {
  const { host, protocol } = new URL(issuer)
  for (const name of ['forwarded', 'x-forwarded-port', 'x-forwarded-prefix', ':authority']) delete req.headers[name]
  req.headers.host = host
  req.headers['x-forwarded-host'] = host
  req.headers['x-forwarded-proto'] = protocol.slice(0, -1)
}

/** These paths ignore cookies, so a page gains nothing. @returns true when it was a preflight, now answered */
function allowAnyOrigin(req: IncomingMessage, res: ServerResponse): boolean {
  res.setHeader('Access-Control-Allow-Origin', '*')
  res.setHeader('Access-Control-Expose-Headers', 'WWW-Authenticate, Retry-After')
  if (req.method !== 'OPTIONS') return false
  res.writeHead(204, {
    'Access-Control-Allow-Methods': 'GET, POST',
    'Access-Control-Allow-Headers': 'Accept, Authorization, Content-Type, MCP-Protocol-Version',
    'Access-Control-Max-Age': '3600',
  })
  res.end()
  return true
}
