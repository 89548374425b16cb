import { describeError } from '@family-inbox/service-kit/observability/logger'
import { type Status, StatusError } from '@family-inbox/service-kit/rpc/status-error'
import { formatWait } from '@family-inbox/service-kit/text/format-wait'
import type { ErrorRequestHandler, Request, Response } from 'express'
import type { Context } from '../context.ts'
import { messagePage, type Section, sectionPage } from './page.ts'
import { sendReply } from './send-reply.ts'

type ErrorAnswer = {
  status: number
  code: string
  title: string
  message: string
  hint: string
  retryAfterSec?: number
}

type Row = { status: number; code: string; title: string; message?: string; hint: string }

const NOTHING_CHANGED = 'Nothing was changed.'

/** How each status is shown. A row's message replaces the service's where that would reveal too much. */
const TABLE: Record<Status, Row> = {
  INVALID_ARGUMENT: {
    status: 400,
    code: 'bad_request',
    title: 'We couldn’t read that',
    hint: `${NOTHING_CHANGED} Go back, check what you typed, and try again.`,
  },
  NOT_FOUND: {
    status: 404,
    code: 'not_found',
    title: 'Not found',
    hint: 'The address may be mistyped, or what was here was removed. Go to the home page and try from there.',
  },
  ALREADY_EXISTS: {
    status: 409,
    code: 'conflict',
    title: 'That already exists',
    hint: `${NOTHING_CHANGED} Go back to see it.`,
  },
  PERMISSION_DENIED: {
    status: 403,
    code: 'forbidden',
    title: 'You don’t have access',
    hint: `${NOTHING_CHANGED} Go to the home page and try from there.`,
  },
  RESOURCE_EXHAUSTED: {
    status: 429,
    code: 'rate_limited',
    title: 'Too many attempts',
    hint: 'This limit protects your family’s data. Nothing was lost.',
  },
  FAILED_PRECONDITION: {
    status: 409,
    code: 'conflict',
    title: 'That isn’t possible right now',
    hint: `${NOTHING_CHANGED} Go to the home page and try from there.`,
  },
  UNAUTHENTICATED: {
    status: 401,
    code: 'unauthenticated',
    title: 'Please sign in again',
    message: 'Your session has ended.',
    hint: 'Nothing was lost. Sign in to continue.',
  },
  UNAVAILABLE: {
    status: 503,
    code: 'unavailable',
    title: 'Part of the service is unavailable',
    message: 'We couldn’t finish that. The problem is on our side.',
    hint: 'Your family’s data is safe. If you were sending something, check whether it went through before you send it again.',
  },
  DEADLINE_EXCEEDED: {
    status: 503,
    code: 'unavailable',
    title: 'This is taking too long',
    message: 'We couldn’t finish that in time.',
    hint: 'Your family’s data is safe. If you were sending something, check whether it went through before you send it again.',
  },
  INTERNAL: {
    status: 500,
    code: 'internal',
    title: 'Something went wrong on our side',
    message: 'The error was logged.',
    hint: 'Your family’s data is safe. Try again in a moment.',
  },
}

function toErrorAnswer({ status, message, detail }: StatusError): ErrorAnswer {
  const { message: ownMessage, ...row } = TABLE[status]
  const wait = detail.retryAfterSec
  return {
    ...row,
    message: ownMessage ?? message,
    ...(wait ? { retryAfterSec: wait, hint: `Wait ${formatWait(wait)}, then try again. ${row.hint}` } : {}),
  }
}

/** Whether the error means that nothing was changed. */
export function isRefusal(error: unknown): boolean {
  return error instanceof StatusError && TABLE[error.status].status < 500
}

export function answerError(ctx: Context): ErrorRequestHandler {
  return (error: unknown, req, res, _next) => {
    if (res.headersSent) return void res.destroy()
    return sendError(ctx, req, res, toErrorAnswer(toStatusError(ctx, error)))
  }
}

/** Sends an error as a page or as an error object (SPEC "Error object"), by the Accept header. */
export async function sendError(ctx: Context, req: Request, res: Response, answer: ErrorAnswer): Promise<void> {
  const { status, code, title, message, hint, retryAfterSec } = answer
  res.vary('Accept')
  if (prefersHtml(req)) {
    const next = status === 401 ? { label: 'Sign in', href: '/sign-in' } : { label: 'Go to the home page', href: '/' }
    const page = messagePage({ title, lines: [message, hint], next, allowsExternalRedirects: true })
    const section: Section | undefined = res.locals.section
    return sendReply(ctx, res, { page: section ? sectionPage(section, page) : page, status, retryAfterSec })
  }
  if (retryAfterSec) res.set('Retry-After', `${retryAfterSec}`)
  res.status(status).set('Cache-Control', 'no-store').json({ error: { code, message, hint } })
}

function prefersHtml(req: Request): boolean {
  return req.accepts(['application/json', 'text/html']) === 'text/html'
}

/** Express throws errors with a 4xx status for a malformed path or a body that is too large. */
function toStatusError({ logger }: Context, error: unknown): StatusError {
  if (error instanceof StatusError) return error
  const { status } = error as { status?: number }
  if (status !== undefined && status >= 400 && status < 500)
    return new StatusError('INVALID_ARGUMENT', 'We couldn’t read the address or the form.')
  logger.error(describeError(error), 'unexpected error')
  return new StatusError('INTERNAL', '')
}
