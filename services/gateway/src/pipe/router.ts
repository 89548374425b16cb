import { type ErrorRequestHandler, type RequestHandler, Router } from 'express'
import type { Context } from '../context.ts'
import { type ErrorObject, errorObject } from '../http/error-object.ts'
import { readBody } from '../http/read-body.ts'
import { pipeEndpoint, send } from './endpoint.ts'

const PATH = '/pipe/v1/events'
const MAX_BODY_KB = 256

/** The event pipe: partners post signed events, and nothing else is done here. */
export function pipeRouter(ctx: Context): Router {
  const router = Router({ caseSensitive: true })
  router.post(PATH, readBody(MAX_BODY_KB * 1024), pipeEndpoint(ctx))
  router.all(PATH, methodNotAllowed)
  router.use(PATH, answerBodyError)
  return router
}

const methodNotAllowed: RequestHandler = (_req, res) => {
  const body = errorObject('method_not_allowed', 'Events are sent with POST.', 'See the documentation for partners.')
  send(res, { status: 405, headers: { allow: 'POST' }, body })
}

/** What reading the body can go wrong with. */
const answerBodyError: ErrorRequestHandler = (error: { status?: number }, _req, res, next) => {
  const answer = BODY_ERRORS[error.status ?? 500]
  if (answer === undefined || res.headersSent) return next(error)
  send(res, answer)
}

const BODY_ERRORS: Record<number, { status: number; body: ErrorObject<string> }> = {
  400: { status: 400, body: errorObject('bad_request', 'The body did not arrive whole.', 'Send the event again.') },
  413: {
    status: 413,
    body: errorObject('too_large', `The body is larger than ${MAX_BODY_KB} KB.`, 'Send less in one event.'),
  },
  415: {
    status: 400,
    body: errorObject('bad_request', 'The body has a Content-Encoding.', 'Send the bytes you signed as they are.'),
  },
}
