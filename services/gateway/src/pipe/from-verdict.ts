import { type Decision, Verdict } from '@family-inbox/proto/pipe/v1/pipe'
import { type ErrorObject, errorObject } from '../http/error-object.ts'

export type PipeAnswer = {
  status: number
  headers?: Record<string, string>
  body: { event_id: string } | ErrorObject<string>
}

/** SPEC "Errors": partners treat 4xx as final, so every failure on our side is 503. */
export const fromVerdict: Record<Verdict, (decision: Decision) => PipeAnswer> = {
  [Verdict.ACCEPTED]: ({ eventId }) => ({ status: 202, body: { event_id: eventId } }),
  [Verdict.STALE]: () => ({
    status: 401,
    headers: CHALLENGE,
    body: errorObject(
      'unauthorized',
      'X-Pipe-Timestamp or webhook-timestamp is missing, malformed, or more than 5 minutes off.',
      'Send the current time as ISO 8601 with a zone, or in seconds for webhook-timestamp, and check your clock.',
    ),
  }),
  [Verdict.BAD_SIGNATURE]: () => ({
    status: 401,
    headers: CHALLENGE,
    body: errorObject(
      'unauthorized',
      'The signature does not match this institution.',
      'Check X-Pipe-Institution and the secret, and sign the exact bytes you send.',
    ),
  }),
  [Verdict.UNSIGNED_TIMESTAMP]: () => ({
    status: 401,
    headers: CHALLENGE,
    body: errorObject(
      'unauthorized',
      'This institution must also sign the time of each request.',
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
    body: errorObject(
      'rate_limited',
      'Too many events in one minute.',
      `Send this event again in ${retryAfterSec} seconds.`,
    ),
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

/** Partners send an event again after a 429, so one that shares an address with an attacker loses nothing. */
export function tooManyUnproven(waitSec: number): PipeAnswer {
  const body = errorObject(
    'rate_limited',
    'Too many events without a valid signature came from this address.',
    `Check the secret and your clock, then send this event again in ${waitSec} seconds.`,
  )
  return { status: 429, headers: { 'retry-after': `${waitSec}` }, body }
}

/** Required with every 401 (RFC 9110 section 11.6.1). */
const CHALLENGE = { 'www-authenticate': 'X-Pipe-Signature algorithm="hmac-sha256"' }

export const unavailable: PipeAnswer = {
  status: 503,
  headers: { 'retry-after': '1' },
  body: errorObject(
    'unavailable',
    'The event could not be accepted right now.',
    'Send the same event again in 1, 2, 4, 8, 16, then 32 seconds.',
  ),
}
