import { isSentFromOurPages } from '@family-inbox/service-kit/http/own-pages'
import { createFairGate, type FairGate } from '@family-inbox/service-kit/lifecycle/fair-gate'
import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import express, { type Request, type RequestHandler, type Router } from 'express'
import type { Config } from '../config.ts'
import type { Context } from '../context.ts'
import { readConfirmation } from './confirmation.ts'
import type { Cookie } from './cookies.ts'
import { isRefusal, sendError } from './errors.ts'
import { readFlash } from './flash.ts'
import { sendReply } from './send-reply.ts'
import { type ReceivedForm, type Reply, toVisit, type Visit, type VisitHandler } from './visit.ts'
import { inWorkspace } from './workspace.ts'

/** A path of the application and its handlers. Any other method gets a 405. */
export type Route = {
  path: string
  /** Whoever it does not admit finds no page here, with any method. */
  gate?: Gate
  get?: VisitHandler
  post?: VisitHandler
  /** Only where the address itself is the credential: mail programs post to it directly (RFC 8058), or `isSecret`. */
  postFrom?: 'anywhere'
  /** The address is a secret that no other server may see. Under no-referrer, browsers send `Origin: null` with its form. */
  isSecret?: boolean
  /** For long text: percent-encoding takes up to nine bytes for a character. */
  hasLongForm?: boolean
  /** Reads a form with files, which takes as long as the upload. The handler then starts with its full time. */
  readFiles?: FormReader
}

export type Gate = (visit: Visit) => Promise<boolean>

export type FormReader = (visit: Visit, req: Request) => Promise<ReceivedForm>

/** Most forms have a few lines of text. */
const FORM_LIMIT = '32kb'
const LONG_FORM_LIMIT = '256kb'
/** Survives a slow redirect, but does not show up on an unrelated page later. */
const FLASH_SECONDS = 60
/** As many as a browser opens connections for HTTP/1.1. What it asks for beyond that waits, so that others do not. */
const ANSWERS_PER_SESSION = 6

/** Mounts the handlers. A form is checked for its origin before its body is read. */
export function mountRoutes(router: Router, ctx: Context, routes: Route[]): void {
  const takeTurn = createFairGate({ slots: Number.POSITIVE_INFINITY, slotsPerOwner: ANSWERS_PER_SESSION })
  for (const { path, gate, get, post, isSecret, ...form } of routes) {
    if (gate) router.all(path, admit(ctx, gate))
    if (isSecret) router.all(path, sendNoReferrer)
    if (get) router.get(path, answer(ctx, get, takeTurn))
    if (post) router.post(path, ...readFormOf(ctx, form), answer(ctx, post, takeTurn))
    router.all(path, rejectOtherMethods(ctx, [get && 'GET, HEAD', post && 'POST'].filter(Boolean).join(', ')))
  }
}

type Form = Pick<Route, 'postFrom' | 'hasLongForm' | 'readFiles'>

function readFormOf(ctx: Context, { postFrom, hasLongForm, readFiles }: Form): RequestHandler[] {
  const limit = hasLongForm ? LONG_FORM_LIMIT : FORM_LIMIT
  const readForm = express.text({ type: 'application/x-www-form-urlencoded', limit })
  if (postFrom === 'anywhere') return [readForm]
  return [requireOwnForm(ctx.config), readForm, readFilesOf(ctx, readFiles)]
}

function admit(ctx: Context, gate: Gate): RequestHandler {
  const notFound = pageNotFound(ctx)
  return async (req, res, next) => ((await gate(toVisit(ctx.config, req, res))) ? next() : notFound(req, res, next))
}

/** Also with errors. */
const sendNoReferrer: RequestHandler = (_req, res, next) => {
  res.set('Referrer-Policy', 'no-referrer')
  next()
}

/** With the navigation for a member of a family, who is looked up only for that. */
export function pageNotFound(ctx: Context): RequestHandler {
  const nothing: Reply = { headers: {}, body: '' }
  const stay = async () => nothing
  const findReader = inWorkspace(ctx, stay, { signedOut: stay, elsewhere: stay })
  return async (req, res) => {
    if (req.method === 'GET') await findReader(toVisit(ctx.config, req, res)).catch(() => undefined)
    return sendError(ctx, req, res, {
      status: 404,
      code: 'not_found',
      title: 'Page not found',
      message: 'There is no page at this address. It may be mistyped, or the page has moved.',
      hint: 'Go to the home page and try from there.',
    })
  }
}

function readFilesOf(ctx: Context, readFiles: FormReader | undefined): RequestHandler {
  return async (req, res, next) => {
    if (readFiles !== undefined && req.is('multipart/form-data'))
      res.locals.received = await readFiles(toVisit(ctx.config, req, res), req)
    next()
  }
}

function answer(ctx: Context, handler: VisitHandler, takeTurn: FairGate): RequestHandler {
  return async (req, res) => {
    const visit = toVisit(ctx.config, req, res)
    const { session } = visit.cookies
    const handled = session === '' ? handler(visit) : takeTurn(session, () => handler(visit))
    const reply = await handled.catch((error) => takeFilesBack(error, res.locals.received))
    await sendReply(ctx, res, clearConfirmation(withFlash(reply, visit), visit))
  }
}

/** A refusal says that nothing was changed, so the files of its form must not stay. */
async function takeFilesBack(error: unknown, received: ReceivedForm | undefined): Promise<never> {
  if (isRefusal(error)) await received?.takeBack()
  throw error
}

/** Stores a flash message in its cookie, or moves it from the cookie to the page. */
function withFlash(reply: Reply, { cookies }: Visit): Reply {
  if ('redirectTo' in reply) {
    if (reply.flash === undefined) return reply
    const flash: Cookie = { name: 'flash', value: reply.flash, maxAgeSec: FLASH_SECONDS }
    return { ...reply, cookies: [...(reply.cookies ?? []), flash] }
  }
  if (cookies.flash === '' || !('page' in reply)) return reply
  const page = { ...reply.page, flash: readFlash(cookies.flash) }
  return { ...reply, page, cookies: [...(reply.cookies ?? []), { name: 'flash' }] }
}

/** Restored form fields are shown once. */
function clearConfirmation(reply: Reply, { method, path, cookies }: Visit): Reply {
  if (method !== 'GET' || !('page' in reply) || readConfirmation(cookies.confirm)?.returnTo !== path) return reply
  return { ...reply, cookies: [...(reply.cookies ?? []), { name: 'confirm' }] }
}

/** Answers OPTIONS (RFC 9110 section 9.3.7) and refuses every other method with a 405 (section 15.5.6). */
function rejectOtherMethods(ctx: Context, methods: string): RequestHandler {
  const allow = `${methods}, OPTIONS`
  return (req, res) => {
    res.set('Allow', allow)
    if (req.method === 'OPTIONS') return void res.status(204).end()
    return sendError(ctx, req, res, {
      status: 405,
      code: 'method_not_allowed',
      title: 'Method not allowed',
      message: `This page only accepts ${methods}.`,
      hint: 'Nothing was changed. Go to the home page and try from there.',
    })
  }
}

function requireOwnForm({ urls }: Pick<Config, 'urls'>): RequestHandler {
  const ownOrigin = new URL(urls.inbox).origin
  return (req, _res, next) => {
    if (isSentFromOurPages(req.headers, ownOrigin)) return next()
    throw new StatusError('PERMISSION_DENIED', 'This form was sent from another site, so we did nothing.')
  }
}
