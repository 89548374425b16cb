import type { IncomingHttpHeaders } from 'node:http'
import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import express, { type RequestHandler, type Router } from 'express'
import type { Config } from '../config.ts'
import type { Context } from '../context.ts'
import type { Cookie } from './cookies.ts'
import { sendError } from './errors.ts'
import { noticeText } from './notices.ts'
import { readConfirmation } from './recent-sign-in.ts'
import { sendReply } from './send-reply.ts'
import { type Reply, toVisit, type Visit, type VisitHandler } from './visit.ts'

/** A path of the application and what answers there; any other method is answered 405. */
export type Route = {
  path: string
  get?: VisitHandler
  post?: VisitHandler
  /** Set where the address itself is the credential, and mail programs post to it without one of our pages (RFC 8058). */
  postFrom?: 'anywhere'
}

/** Forms are small: the largest holds a few lines of text. */
const FORM_LIMIT = '32kb'
/** Long enough for a slow redirect, too short to surprise anybody later. */
const NOTICE_SECONDS = 60

/** Puts handlers behind their paths. Every form passes the same door: sent by a page of ours, then small, then read. */
export function mountRoutes(router: Router, ctx: Context, routes: Route[]): void {
  const readForm = express.text({ type: 'application/x-www-form-urlencoded', limit: FORM_LIMIT })
  for (const { path, get, post, postFrom } of routes) {
    if (get) router.get(path, answer(ctx, get))
    if (post && postFrom === 'anywhere') router.post(path, readForm, answer(ctx, post))
    else if (post) router.post(path, requireOwnForm(ctx.config), readForm, answer(ctx, post))
    router.all(path, otherMethods(ctx, [get && 'GET, HEAD', post && 'POST'].filter(Boolean).join(', ')))
  }
}

export function noSuchPage(ctx: Context): RequestHandler {
  return (req, res) => {
    return sendError(ctx, req, res, {
      status: 404,
      code: 'not_found',
      title: 'There is no such page',
      message: 'This address leads nowhere. It may be mistyped, or the page has moved.',
      hint: 'Nothing was lost. Start again from the first page.',
    })
  }
}

function answer(ctx: Context, handler: VisitHandler): RequestHandler {
  return async (req, res) => {
    const visit = toVisit(ctx.config, req, res)
    await sendReply(ctx, res, withoutKept(withNotice(await handler(visit), visit), visit))
  }
}

/** A deed's notice travels in a cookie to the page that follows, and is shown there once. */
function withNotice(reply: Reply, { cookies }: Visit): Reply {
  if ('redirectTo' in reply) {
    if (reply.notice === undefined) return reply
    const notice: Cookie = { name: 'notice', value: reply.notice, maxAgeSec: NOTICE_SECONDS }
    return { ...reply, cookies: [...(reply.cookies ?? []), notice] }
  }
  if (cookies.notice === '' || !('page' in reply)) return reply
  const page = { ...reply.page, notice: noticeText(cookies.notice) }
  return { ...reply, page, cookies: [...(reply.cookies ?? []), { name: 'notice' }] }
}

/** What was kept while a person confirmed that it is them is shown once. */
function withoutKept(reply: Reply, { method, path, cookies }: Visit): Reply {
  if (method !== 'GET' || !('page' in reply) || readConfirmation(cookies.confirm)?.returnTo !== path) return reply
  return { ...reply, cookies: [...(reply.cookies ?? []), { name: 'confirm' }] }
}

/** OPTIONS says which methods there are (RFC 9110 section 9.3.7); all others are refused, saying the same (15.5.6). */
function otherMethods(ctx: Context, methods: string): RequestHandler {
  const allow = `${methods}, OPTIONS`
  return (req, res) => {
    res.set('Allow', allow)
    if (req.method === 'OPTIONS') return void res.status(204).end()
    return sendError(ctx, req, res, {
      status: 405,
      code: 'method_not_allowed',
      title: 'This page works another way',
      message: 'The page was asked for in a way it does not answer to.',
      hint: `Nothing was changed. It answers to ${methods}.`,
    })
  }
}

/**
 * Whether a form was sent by a page of our own. Browsers say so in Sec-Fetch-Site, which no page can forge; those too old
 * for it, or on an address without TLS, send Origin. Who sends neither is no browser we know, and is not believed.
 */
export function isSentFromOurPages(headers: IncomingHttpHeaders, ownOrigin: string): boolean {
  const site = headers['sec-fetch-site']
  if (site !== undefined) return site === 'same-origin' || site === 'none'
  return headers.origin === ownOrigin
}

/** Refuses what other sites make a browser send (CSRF), before anything of it is read. */
function requireOwnForm({ urls }: Pick<Config, 'urls'>): RequestHandler {
  const ownOrigin = new URL(urls.inbox).origin
  return (req, _res, next) => {
    if (isSentFromOurPages(req.headers, ownOrigin)) return next()
    throw new StatusError('PERMISSION_DENIED', 'This form was sent from another site, so nothing was done.')
  }
}
