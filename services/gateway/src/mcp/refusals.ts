import { code } from '../json-rpc/codes.ts'
import { errorEnvelope } from '../json-rpc/envelope.ts'
import type { Answer } from './answer.ts'

/** Too many calls: 429 with the seconds after which one will be admitted, in the header and in the body. */
export function rateLimited(
  id: string,
  retryAfterSec: number,
  message = `Too many calls. Try again in ${retryAfterSec} seconds.`,
): Answer {
  return {
    status: 429,
    body: errorEnvelope(id, code.rateLimited, message, { retryAfterSec }),
    headers: { 'retry-after': String(retryAfterSec) },
  }
}

/** More calls than can be answered in time: refused before it is looked at whose this one is. */
export function overloaded(id: string): Answer {
  const message = 'Too many calls from everyone at the moment. Nothing is wrong with yours: try again in a second.'
  return {
    status: 503,
    body: errorEnvelope(id, code.internalError, message, { retryAfterSec: 1 }),
    headers: { 'retry-after': '1' },
  }
}

/** A part of the system is down: a JSON-RPC error in a 200, since clients throw the body of anything else away. */
export function retryLater(id: string): Answer {
  const message = 'The service is not available right now. Nothing is wrong with your request: try again in a moment.'
  return { status: 200, body: errorEnvelope(id, code.internalError, message) }
}
