import type { ErrorRequestHandler, RequestHandler } from 'express'
import type { Context } from '../context.ts'
import { type Asked, code, errorEnvelope } from '../json-rpc/envelope.ts'

/** A message that was not read has no id, and no era yet. */
export const UNREAD: Asked = { id: 'null', era: 'legacy' }

/** After a 200, the official SDKs assume a stream that ended and retry every second, so a stream gets 405. */
export const refuseEventStream: RequestHandler = (req, res, next) => {
  res.vary('Accept')
  if (wantsEventStream(req.headers.accept)) res.status(405).set('Allow', 'POST').end()
  else next()
}

export function refuseOtherTypes(before: RequestHandler = passThrough): RequestHandler {
  return (req, res, next) => {
    if (req.is('application/json')) return next()
    return before(req, res, () => {
      const message = 'Send the call as JSON with the header Content-Type: application/json.'
      res.status(415).json(JSON.parse(errorEnvelope(UNREAD, code.invalidRequest, message)))
    })
  }
}

const passThrough: RequestHandler = (_req, _res, next) => next()

/** @param before may send a more important answer first */
export function answerBodyError(tooLarge: string, before: RequestHandler = passThrough): ErrorRequestHandler {
  const messages: Record<number, string> = {
    400: 'The body was cut off. Send it again.',
    413: tooLarge,
    415: 'Send the body without Content-Encoding.',
  }
  return (error: { status?: number }, req, res, next) => {
    const message = messages[error.status ?? 500]
    if (message === undefined || res.headersSent) return next(error)
    return before(req, res, () => {
      res
        .status(error.status ?? 400)
        .type('application/json')
        .send(errorEnvelope(UNREAD, code.invalidRequest, message))
    })
  }
}

/** OPTIONS lists the methods (RFC 9110 section 9.3.7); any other method gets 405 (section 15.5.6). */
export function methodNotAllowed(allow: string): RequestHandler {
  return (req, res) => {
    res
      .status(req.method === 'OPTIONS' ? 204 : 405)
      .set('Allow', allow)
      .end()
  }
}

/** The answer with and without links to the public site, whichever is right when it is asked for. */
export function byPublicSite(
  { readSwitches }: Pick<Context, 'readSwitches'>,
  answer: (hasPublicSite: boolean) => RequestHandler,
): RequestHandler {
  const [without, withIt] = [answer(false), answer(true)]
  return async (req, res, next) => ((await readSwitches()).hasPublicSite ? withIt : without)(req, res, next)
}

export function sendJson(body: string, cacheControl: string, type = 'application/json'): RequestHandler {
  return (_req, res) => {
    res.set('Cache-Control', cacheControl).type(type).send(body)
  }
}

/** Whether an Accept header lists `text/event-stream` with a q above 0. Wildcards do not count. */
export function wantsEventStream(accept: string | undefined): boolean {
  return (accept ?? '').split(',').some((range) => {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase())
    return type === 'text/event-stream' && !parameters.some((parameter) => /^q=0(\.0{0,3})?$/.test(parameter))
  })
}
