import { describeError } from '@family-inbox/service-kit/logger'
import { StatusError } from '@family-inbox/service-kit/status-error'
import type { ErrorRequestHandler, Request, Response } from 'express'
import type { Context } from '../context.ts'
import { type ErrorAnswer, toErrorAnswer } from '../errors.ts'
import { messagePage } from '../pages/message.ts'
import { sendReply } from './send-reply.ts'

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
    const page = messagePage({ title, lines: [message, hint], next, leadsElsewhere: true })
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
