import type { ErrorRequestHandler, RequestHandler } from 'express'
import { wantsEventStream } from '../http/accept.ts'
import { code, errorEnvelope } from '../json-rpc/envelope.ts'
/** How MCP goes over HTTP here, the same on every MCP address. */

/**
 * A client that asks for an event stream is told at once that there is none: given any 200, the official SDKs take it for a
 * stream that ended and ask again every second, for ever (MCP 2025-03-26 "Listening for Messages").
 */
export const refuseEventStream: RequestHandler = (req, res, next) => {
  res.vary('Accept')
  if (wantsEventStream(req.headers.accept)) res.status(405).set('Allow', 'POST').end()
  else next()
}

/** @param before may answer first, with something more urgent */
export function requireJson(before: RequestHandler = goOn): RequestHandler {
  return (req, res, next) => {
    if (req.is('application/json')) return next()
    return before(req, res, () => {
      const message = 'Send the call as JSON, with the header Content-Type: application/json.'
      res.status(415).json(JSON.parse(errorEnvelope('null', code.invalidRequest, message)))
    })
  }
}

const goOn: RequestHandler = (_req, _res, next) => next()

/**
 * Answers what reading the body can go wrong with: too large, cut off, or encoded.
 * @param tooLarge what to tell whoever sent too much
 * @param before may answer first, with something more urgent
 */
export function answerBodyError(tooLarge: string, before: RequestHandler = goOn): ErrorRequestHandler {
  const messages: Record<number, string> = {
    400: 'The body did not arrive whole.',
    413: tooLarge,
    415: 'Send the body without a Content-Encoding.',
  }
  return (error: { status?: number }, req, res, next) => {
    const message = messages[error.status ?? 500]
    if (message === undefined || res.headersSent) return next(error)
    return before(req, res, () => {
      res
        .status(error.status ?? 400)
        .type('application/json')
        .send(errorEnvelope('null', code.invalidRequest, message))
    })
  }
}

/** OPTIONS says which methods there are (RFC 9110 section 9.3.7); all others are refused, saying the same (15.5.6). */
export function methodNotAllowed(allow: string): RequestHandler {
  return (req, res) => {
    res
      .status(req.method === 'OPTIONS' ? 204 : 405)
      .set('Allow', allow)
      .end()
  }
}

export function sendJson(body: string, cacheControl: string): RequestHandler {
  return (_req, res) => {
    res.set('Cache-Control', cacheControl).type('application/json').send(body)
  }
}
