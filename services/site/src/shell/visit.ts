import { CALL_BUDGET_MS } from '@family-inbox/service-kit/rpc/dial'
import type { Request, Response } from 'express'
import type { Config } from '../config.ts'
import { type Cookie, type CookieJar, readCookies } from './cookies.ts'
import type { NoticeName } from './notices.ts'
import type { Page } from './page.ts'
import { type ReaderClock, readClock } from './reader-clock.ts'
import { readConfirmation } from './recent-sign-in.ts'

/** What a handler knows of the request it answers. */
export type Visit = {
  method: string
  path: string
  /** A part of the path by its name in the route. */
  param(name: string): string
  /** The first value of a query parameter, empty when there is none. */
  query(name: string): string
  /** The first value of a form field, empty when there is none. */
  field(name: string): string
  /** Every value of a form field, for boxes that can be ticked. */
  fields(name: string): string[]
  /** What the person had typed here before they were asked to confirm that it is them; empty when there is nothing. */
  kept(name: string): string
  cookies: CookieJar
  /** The Cookie header as it came. */
  cookieHeader: string
  clientAddress: string
  userAgent: string
  /** How days and times are told to this reader. */
  clock: ReaderClock
  /** When the answer is worthless, in milliseconds since 1970; every call made for this visit shares it. */
  deadline: number
  /** Aborts when the answer has been sent, or its reader has gone away; every stream read for this visit ends with it. */
  signal: AbortSignal
}

export type VisitHandler = (visit: Visit) => Promise<Reply>

/** Why the signal aborts: an error of its own for each visit would cost more than it says. */
const OVER = 'the visit is over'

/**
 * Reads a request. The gateway, which is the only one who can reach the site, overwrites X-Forwarded-For with the address
 * it believes.
 */
export function toVisit(config: Config, req: Request, res: Response): Visit {
  const over = new AbortController()
  res.once('close', () => over.abort(OVER))
  const query = new URL(req.originalUrl, 'http://site').searchParams
  const form = typeof req.body === 'string' ? new URLSearchParams(req.body) : new URLSearchParams()
  const cookies = readCookies(config, req.headers.cookie)
  const awaited = readConfirmation(cookies.confirm)
  return {
    method: req.method,
    path: req.path,
    param: (name) => String(req.params[name] ?? ''),
    query: (name) => query.get(name) ?? '',
    field: (name) => form.get(name) ?? '',
    fields: (name) => form.getAll(name),
    kept: (name) => (awaited?.returnTo === req.path && awaited.fields[name]) || '',
    cookies,
    cookieHeader: req.headers.cookie ?? '',
    clientAddress: req.get('x-forwarded-for')?.trim() || (req.socket.remoteAddress ?? ''),
    userAgent: (req.headers['user-agent'] ?? '').slice(0, 300),
    clock: readClock(req.headers['accept-language'], cookies.timeZone),
    deadline: Date.now() + CALL_BUDGET_MS,
    signal: over.signal,
  }
}

/** What a handler answers with; `send-reply.ts` alone turns it into HTTP. */
export type Reply = PageReply | RedirectReply | BodyReply

export type PageReply = { page: Page; status?: number; cookies?: Cookie[]; retryAfterSec?: number }

/** Where the browser goes next, by GET (303, RFC 9110 section 15.4.4), and what the page there says about what was done. */
export type RedirectReply = { redirectTo: string; notice?: NoticeName; cookies?: Cookie[] }

/** What is no page of ours: a file, a stream of events, the markup of a mail. Its headers say what it is and may do. */
export type BodyReply = {
  headers: Record<string, string>
  /** A stream ends early when its reader goes away, and is not begun for HEAD. */
  body: string | AsyncIterable<string | Uint8Array>
  cookies?: Cookie[]
}
