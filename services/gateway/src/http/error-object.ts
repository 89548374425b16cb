import type { Logger } from '@family-inbox/service-kit/logger'
import { describeError } from '@family-inbox/service-kit/logger'
import type { ErrorRequestHandler, Request, RequestHandler, Response } from 'express'
import { ERROR_PAGE_POLICY, type ErrorWords, errorPage } from './error-page.ts'

/** The error object of everything that is not JSON-RPC (SPEC "Error object"): code, message and hint, all three always. */
export type ErrorObject<Code extends string = ErrorCode> = { error: { code: Code } & ErrorWords }

/** `spec_unavailable` is what the public site says when it cannot answer; the other addresses say `unavailable`. */
export type ErrorCode =
  | 'bad_request'
  | 'not_found'
  | 'method_not_allowed'
  | 'spec_unavailable'
  | 'unavailable'
  | 'internal'

/** For those who are always answered in JSON. */
export function errorObject<Code extends string>(code: Code, message: string, hint: string): ErrorObject<Code> {
  return { error: { code, message, hint } }
}

/** Sends an error: as a page to whoever would rather have HTML, and as the error object to everybody else. */
export function sendError(req: Request, res: Response, status: number, code: ErrorCode, words: ErrorWords): void {
  res.status(status).vary('Accept').set('Cache-Control', 'no-store')
  if (req.accepts(['application/json', 'text/html']) === 'text/html')
    res.set('Content-Security-Policy', ERROR_PAGE_POLICY).type('html').send(errorPage(words))
  else res.json(errorObject(code, words.message, words.hint))
}

export const notFound: RequestHandler = (req, res) => {
  const hint = 'Check the path; see /llms.txt on the public site.'
  sendError(req, res, 404, 'not_found', { message: 'There is nothing at this address.', hint })
}

/** For an address that can only be read: OPTIONS says so, and every other method is refused. */
export const readOnly: RequestHandler = (req, res) => {
  res.set('Allow', 'GET, HEAD, OPTIONS')
  if (req.method === 'OPTIONS') return void res.status(204).end()
  const message = 'This address answers to GET, HEAD and OPTIONS.'
  sendError(req, res, 405, 'method_not_allowed', { message, hint: 'Nothing can be created or changed here.' })
}

/** The last error handler: says nothing internal, and never quotes the request. */
export function answerError(logger: Logger): ErrorRequestHandler {
  return (error: { status?: number }, req, res, _next) => {
    // The proxy reports an error here, too, after it was answered.
    if (res.writableEnded) return
    if (res.headersSent) return void res.destroy()
    const isBadRequest = error.status !== undefined && error.status >= 400 && error.status < 500
    if (isBadRequest) return sendError(req, res, 400, 'bad_request', UNREADABLE)
    logger.error(describeError(error), 'an unexpected error')
    const message = 'Something went wrong on our side.'
    sendError(req, res, 500, 'internal', { message, hint: 'Try again in a moment.' })
  }
}

/** Said of a request that is no proper one. */
export const UNREADABLE: ErrorWords = {
  message: 'The request could not be understood.',
  hint: 'Check the address and the headers.',
}
