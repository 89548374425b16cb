import { describeError } from '@family-inbox/service-kit/observability/logger'
import { type Status, StatusError } from '@family-inbox/service-kit/rpc/status-error'
import type { ErrorRequestHandler, Request, Response } from 'express'
import type { Context } from '../context.ts'
import { messagePage } from './message-page.ts'
import { durationOf } from './moment.ts'
import { sendReply } from './send-reply.ts'

/** What an error looks like from outside: as an HTTP status, as an error object, and as a page. */
type ErrorAnswer = {
  status: number
  code: string
  title: string
  /** What happened. */
  message: string
  /** What was kept, and what to do. */
  hint: string
  retryAfterSec?: number
}

type Row = { status: number; code: string; title: string; message?: string; hint: string }

const NOTHING_CHANGED = 'Nothing was changed.'

/** Every status a service answers with. A row's own message stands for the service's where that would say too much. */
const TABLE: Record<Status, Row> = {
  INVALID_ARGUMENT: {
    status: 400,
    code: 'bad_request',
    title: 'This could not be understood',
    hint: `${NOTHING_CHANGED} Go back, check what you typed, and try again.`,
  },
  NOT_FOUND: {
    status: 404,
    code: 'not_found',
    title: 'There is nothing here',
    hint: 'The address may be mistyped, or what was here is gone. Start again from the first page.',
  },
  ALREADY_EXISTS: {
    status: 409,
    code: 'conflict',
    title: 'This is there already',
    hint: `${NOTHING_CHANGED} Go back to see it.`,
  },
  PERMISSION_DENIED: {
    status: 403,
    code: 'forbidden',
    title: 'You may not do this',
    hint: `${NOTHING_CHANGED} Go back to the first page and try from there.`,
  },
  RESOURCE_EXHAUSTED: {
    status: 429,
    code: 'rate_limited',
    title: 'Too often in a short time',
    hint: 'What you did before is kept. This limit keeps your family’s data safe from people who guess.',
  },
  FAILED_PRECONDITION: {
    status: 409,
    code: 'conflict',
    title: 'This cannot be done now',
    hint: `${NOTHING_CHANGED} Go back to the first page and try from there.`,
  },
  UNAUTHENTICATED: {
    status: 401,
    code: 'unauthenticated',
    title: 'Please sign in again',
    message: 'Your session has ended.',
    hint: 'What you did before is kept. Sign in, and go on from there.',
  },
  UNAVAILABLE: {
    status: 503,
    code: 'unavailable',
    title: 'A part of the service is away',
    message: 'We could not finish this just now. It is not your fault.',
    hint: 'Your family’s data is safe. If you were sending something, look whether it is there before you send it again.',
  },
  DEADLINE_EXCEEDED: {
    status: 503,
    code: 'unavailable',
    title: 'This is taking too long',
    message: 'We could not finish this in time.',
    hint: 'Your family’s data is safe. If you were sending something, look whether it is there before you send it again.',
  },
  INTERNAL: {
    status: 500,
    code: 'internal',
    title: 'Something went wrong on our side',
    message: 'It is not your fault, and we have been told.',
    hint: 'Your family’s data is safe. Try again in a moment; if it stays like this, write to us.',
  },
}

/** How an error a service answered with is shown. */
function toErrorAnswer({ status, message, detail }: StatusError): ErrorAnswer {
  const { message: ownMessage, ...row } = TABLE[status]
  const wait = detail.retryAfterSec
  return {
    ...row,
    message: ownMessage ?? message,
    ...(wait ? { retryAfterSec: wait, hint: `Wait ${durationOf(wait)}, then try again. ${row.hint}` } : {}),
  }
}

/** The last error handler of the application: a page that helps for browsers, the error object for everyone else. */
export function answerError(ctx: Context): ErrorRequestHandler {
  return (error: unknown, req, res, _next) => {
    if (res.headersSent) return void res.destroy()
    return sendError(ctx, req, res, toErrorAnswer(toStatusError(ctx, error)))
  }
}

/** Sends an error as a page to those who prefer HTML, and as the error object (SPEC "Error object") to all others. */
export async function sendError(ctx: Context, req: Request, res: Response, answer: ErrorAnswer): Promise<void> {
  const { status, code, title, message, hint, retryAfterSec } = answer
  res.vary('Accept')
  if (prefersHtml(req)) {
    const next = status === 401 ? { label: 'Sign in', href: '/sign-in' } : { label: 'Go to the first page', href: '/' }
    const page = messagePage({ title, lines: [message, hint], next, allowsExternalRedirects: true })
    return sendReply(ctx, res, { page, status, retryAfterSec })
  }
  if (retryAfterSec) res.set('Retry-After', `${retryAfterSec}`)
  res.status(status).set('Cache-Control', 'no-store').json({ error: { code, message, hint } })
}

function prefersHtml(req: Request): boolean {
  return req.accepts(['application/json', 'text/html']) === 'text/html'
}

/** Express reports what it could not read (a bad path, a body too large) as an error with a 4xx status of its own. */
function toStatusError({ logger }: Context, error: unknown): StatusError {
  if (error instanceof StatusError) return error
  const { status } = error as { status?: number }
  if (status !== undefined && status >= 400 && status < 500)
    return new StatusError('INVALID_ARGUMENT', 'The address or the form could not be read.')
  logger.error(describeError(error), 'an unexpected error')
  return new StatusError('INTERNAL', '')
}
