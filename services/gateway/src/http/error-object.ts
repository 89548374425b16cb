import type { Logger } from '@family-inbox/service-kit/logger'
import { describeError } from '@family-inbox/service-kit/logger'
import type { ErrorRequestHandler, RequestHandler } from 'express'

/** The error object of everything that is not JSON-RPC (SPEC "Error object"): code, message and hint, all three always. */
export type ErrorObject = { error: { code: string; message: string; hint: string } }

export const notFound: RequestHandler = (_req, res) => {
  res
    .status(404)
    .json(
      errorObject(
        'not_found',
        'There is nothing at this address.',
        'Check the path; see /llms.txt on the public site.',
      ),
    )
}

/** The last error handler: says nothing internal, and never quotes the request. */
export function answerError(logger: Logger): ErrorRequestHandler {
  return (error: { status?: number }, _req, res, _next) => {
    if (res.headersSent) {
      res.destroy()
      return
    }
    const isBadRequest = error.status !== undefined && error.status >= 400 && error.status < 500
    if (!isBadRequest) logger.error(describeError(error), 'an unexpected error')
    if (isBadRequest)
      res
        .status(400)
        .json(errorObject('bad_request', 'The request could not be understood.', 'Check the address and the headers.'))
    else res.status(500).json(errorObject('internal', 'Something went wrong on our side.', 'Try again in a moment.'))
  }
}

export function errorObject(code: string, message: string, hint: string): ErrorObject {
  return { error: { code, message, hint } }
}
