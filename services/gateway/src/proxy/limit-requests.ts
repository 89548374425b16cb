import type { IncomingMessage } from 'node:http'
import { findSessionCookie, SESSION_ACCEPTED } from '@family-inbox/service-kit/http/session-cookie'
import type { RequestHandler, Response } from 'express'
import type { Context } from '../context.ts'
import { type ErrorCode, sendError } from '../http/error-object.ts'
import { clientOf, type Outcome } from '../http/rate-limit.ts'
import type { Surface } from '../http/surface.ts'

/** Most answers take less. */
const STILL_AT_WORK_MS = 2000

/** Refuses a client whose requests come too often, before any service is asked. */
export function limitRequests({ config, rateLimit }: Context, surface: Surface, isOauth = false): RequestHandler {
  return (req, res, next) => {
    const session = surface === 'inbox' ? findSessionCookie(req.headers.cookie, config.urls.inbox) : undefined
    const client = clientOf(req, config.trustedProxies, session)
    const waitSec = rateLimit.secondsToWait(client)
    if (waitSec > 0) {
      res.set('Retry-After', `${waitSec}`)
      if (isOauth && req.accepts(['application/json', 'text/html']) !== 'text/html') return sendOauthError(res, waitSec)
      return sendError(req, res, 429, TOO_MANY_CODE[surface], tooMany(waitSec))
    }
    res.locals.client = client
    const end = rateLimit.begin(client)
    res.once('close', () => {
      // Services do not stop working on what its sender left.
      if (res.writableFinished) end(outcomeOf(res))
      else setTimeout(end, STILL_AT_WORK_MS, 'wasted').unref()
    })
    next()
  }
}

/** The site says whether the session of a request is good. The client does not need to know. */
export function recognizeSession({ rateLimit }: Context, answer: IncomingMessage, res: Response): void {
  const isAccepted = answer.headers[SESSION_ACCEPTED] !== undefined
  delete answer.headers[SESSION_ACCEPTED]
  if (isAccepted) rateLimit.recognize(res.locals.client)
}

function outcomeOf({ statusCode }: Response): Outcome {
  return statusCode >= 400 && statusCode < 500 ? 'wasted' : 'answered'
}

/** RFC 6749 section 5.2: clients of these paths expect the error as a string. */
function sendOauthError(res: Response, waitSec: number): void {
  const body = { error: 'temporarily_unavailable', error_description: `too many requests: try again in ${waitSec} s` }
  res.status(429).set({ 'Cache-Control': 'no-store', 'Access-Control-Allow-Origin': '*' }).json(body)
}

/** The public site's error object has a closed list of codes (SPEC "Error object"). */
const TOO_MANY_CODE: Record<Surface, ErrorCode> = {
  base: 'spec_unavailable',
  api: 'rate_limited',
  inbox: 'rate_limited',
}

function tooMany(waitSec: number) {
  const message = 'Too many requests.'
  return { message, hint: `Nothing was changed. Try again in ${waitSec} ${waitSec === 1 ? 'second' : 'seconds'}.` }
}
