import { type Decision, Verdict } from '@family-inbox/proto/pipe/v1/pipe'
import { type ErrorObject, errorObject } from '../http/error-object.ts'

/** What a partner is answered: the HTTP status, its headers, and its body. */
export type PipeAnswer = {
  status: number
  headers?: Record<string, string>
  body: { event_id: string } | ErrorObject<string>
}

/**
 * What each verdict of the pipe becomes on the wire (SPEC "Errors: planned event pipe"). 4xx is final to partners, so all
 * trouble on our side is 503. Total: the compiler asks for every verdict.
 */
export const fromVerdict: Record<Verdict, (decision: Decision) => PipeAnswer> = {
  [Verdict.ACCEPTED]: ({ eventId }) => ({ status: 202, body: { event_id: eventId } }),
  [Verdict.STALE]: () => ({
    status: 401,
    headers: CHALLENGE,
    body: errorObject(
      'unauthorized',
      'X-Pipe-Timestamp is missing, is not an ISO 8601 time with a zone, or is more than 5 minutes away from our clock; or webhook-timestamp is.',
      'Send the time at which you send, and check your clock.',
    ),
  }),
  [Verdict.BAD_SIGNATURE]: () => ({
    status: 401,
    headers: CHALLENGE,
    body: errorObject(
      'unauthorized',
      'The signature is not that of this institution.',
      'Check X-Pipe-Institution and the secret, and sign the very bytes you send.',
    ),
  }),
  [Verdict.UNSIGNED_TIMESTAMP]: () => ({
    status: 401,
    headers: CHALLENGE,
    body: errorObject(
      'unauthorized',
      'This institution must sign the time of each request too.',
      'Send webhook-id, webhook-timestamp and webhook-signature.',
    ),
  }),
  [Verdict.INACTIVE]: () => ({
    status: 403,
    body: errorObject('inactive', 'This institution has no active integration.', 'Contact the operator.'),
  }),
  [Verdict.LIMITED]: ({ retryAfterSec }) => ({
    status: 429,
    headers: { 'retry-after': `${retryAfterSec}` },
    body: errorObject('rate_limited', 'Too many events in one minute.', `Send this event again in ${retryAfterSec} s.`),
  }),
  [Verdict.MALFORMED]: ({ problem }) => ({
    status: 400,
    body: errorObject('bad_request', problem, 'Correct the event and send it again.'),
  }),
  [Verdict.NOT_SHARED]: () => ({
    status: 404,
    body: errorObject(
      'not_found',
      'No family is linked to this subject_ref, or family-share is off.',
      'Do not send this event again.',
    ),
  }),
  [Verdict.TRY_AGAIN]: () => unavailable,
  [Verdict.UNSPECIFIED]: () => unavailable,
  [Verdict.UNRECOGNIZED]: () => unavailable,
}

/** RFC 9110 section 11.6.1 asks for a challenge with every 401. */
const CHALLENGE = { 'www-authenticate': 'X-Pipe-Signature algorithm="hmac-sha256"' }

export const unavailable: PipeAnswer = {
  status: 503,
  headers: { 'retry-after': '1' },
  body: errorObject(
    'unavailable',
    'The event could not be taken right now.',
    'Send the same event again in 1, 2, 4, 8, 16, then 32 seconds.',
  ),
}
