import type { ReplyAttachment } from '@family-inbox/proto/inbox/v1/inbox'
import { SESSION_ACCEPTED } from '@family-inbox/service-kit/http/session-cookie'
import { CALL_BUDGET_MS } from '@family-inbox/service-kit/rpc/dial'
import type { Request, Response } from 'express'
import type { Config } from '../config.ts'
import { readConfirmation } from './confirmation.ts'
import { type Cookie, type CookieJar, readCookies } from './cookies.ts'
import type { FlashName } from './flash.ts'
import type { Page, Section } from './page.ts'
import { type ReaderClock, readClock } from './reader-clock.ts'

export type Visit = {
  method: string
  path: string
  param(name: string): string
  /** An id in the path. Cut, since ours are shorter. */
  id(name: string): string
  /** The first value of a query parameter, or an empty string. */
  query(name: string): string
  /** The first value of a form field, or an empty string. */
  field(name: string): string
  fields(name: string): string[]
  files: ReceivedFiles
  /** The text that the person typed here before they were asked to confirm their identity, or an empty string. */
  restoredField(name: string): string
  cookies: CookieJar
  cookieHeader: string
  /** Opened on a phone from its home screen, a bookmark or another application, not from one of our pages (W3C Fetch Metadata). */
  isOpenedOnPhone: boolean
  clientAddress: string
  userAgent: string
  clock: ReaderClock
  /** In milliseconds since 1970; shared by every call made for this request. */
  deadline: number
  /** Aborts when the response is sent or the client disconnects. */
  signal: AbortSignal
  /** Tells the gateway that the session is good, so that the visitor no longer counts for their network. */
  markSignedIn(): void
  /** Keeps the navigation on an error page. */
  setSection(section: Section): void
}

export type ReceivedFiles = {
  stored: ReplyAttachment[]
  /** Why a file was not stored, in words for the reader. */
  problem?: string
}

/** A form with files, read from its stream. */
export type ReceivedForm = {
  fields: URLSearchParams
  files: ReceivedFiles
  /** Removes what was stored. @throws StatusError UNAVAILABLE when something may still be there */
  takeBack(): Promise<void>
}

const NO_FILES: ReceivedFiles = { stored: [] }

export type VisitHandler = (visit: Visit) => Promise<Reply>

/** The result of a handler; only `send-reply.ts` turns it into HTTP. */
export type Reply = PageReply | RedirectReply | BodyReply

export type PageReply = { page: Page; status?: number; cookies?: Cookie[]; retryAfterSec?: number }

/** Redirects with 303 (RFC 9110 section 15.4.4), with an optional message for the next page. */
export type RedirectReply = { redirectTo: string; flash?: FlashName | undefined; cookies?: Cookie[] }

/** A response that is not one of our pages, such as a file, an event stream, or the HTML of a message. */
export type BodyReply = {
  status?: 204
  headers: Record<string, string>
  /** A stream stops when the client disconnects and is not read for HEAD. */
  body: string | AsyncIterable<string | Uint8Array>
  cookies?: Cookie[]
}

/** A string, because creating an error for each request is measurably slower. */
const ABORT_REASON = 'the response has ended'

/** Reads a request. Only the gateway can reach the site, and it overwrites X-Forwarded-For with the address it trusts. */
export function toVisit(config: Config, req: Request, res: Response): Visit {
  const ended = new AbortController()
  res.once('close', () => ended.abort(ABORT_REASON))
  const query = new URL(req.originalUrl, 'http://site').searchParams
  const received: ReceivedForm | undefined = res.locals.received
  const form = received?.fields ?? new URLSearchParams(typeof req.body === 'string' ? req.body : '')
  const cookies = readCookies(config, req.headers.cookie)
  const confirmation = readConfirmation(cookies.confirm)
  return {
    method: req.method,
    path: req.path,
    param: (name) => String(req.params[name] ?? ''),
    id: (name) => String(req.params[name] ?? '').slice(0, 128),
    query: (name) => query.get(name) ?? '',
    field: (name) => form.get(name) ?? '',
    fields: (name) => form.getAll(name),
    files: received?.files ?? NO_FILES,
    restoredField: (name) => (confirmation?.returnTo === req.path && confirmation.fields[name]) || '',
    cookies,
    isOpenedOnPhone: req.get('sec-fetch-site') === 'none' && /\bMobile\b/.test(req.get('user-agent') ?? ''),
    cookieHeader: req.headers.cookie ?? '',
    clientAddress: req.get('x-forwarded-for')?.trim() || (req.socket.remoteAddress ?? ''),
    userAgent: (req.headers['user-agent'] ?? '').slice(0, 300),
    clock: readClock(req.headers['accept-language'], cookies.timeZone),
    deadline: Date.now() + CALL_BUDGET_MS,
    signal: ended.signal,
    markSignedIn() {
      if (!res.headersSent) res.set(SESSION_ACCEPTED, 'true')
    },
    setSection(section) {
      res.locals.section = section
    },
  }
}

/** The same visit with less time for its calls. */
export function withTimeout(visit: Visit, timeoutMs: number): Visit {
  return { ...visit, deadline: Math.min(visit.deadline, Date.now() + timeoutMs) }
}
