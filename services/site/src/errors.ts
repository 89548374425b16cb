import type { Status, StatusError } from '@family-inbox/service-kit/status-error'
import { durationOf } from './parts/moment.ts'

/** What an error looks like from outside: as an HTTP status, as an error object, and as a page. */
export type ErrorAnswer = {
  status: number
  code: string
  title: string
  /** What happened. */
  message: string
  /** What was kept, and what to do. */
  hint: string
  retryAfterSec?: number
}

type Row = { status: number; code: string; title: string; message?: string; hint: string }

const NOTHING_CHANGED = 'Nothing was changed.'

/** Every status a service answers with. A row's own message stands for the service's where that would say too much. */
const TABLE: Record<Status, Row> = {
  INVALID_ARGUMENT: {
    status: 400,
    code: 'bad_request',
    title: 'This could not be understood',
    hint: `${NOTHING_CHANGED} Go back, check what you typed, and try again.`,
  },
  NOT_FOUND: {
    status: 404,
    code: 'not_found',
    title: 'There is nothing here',
    hint: 'The address may be mistyped, or what was here is gone. Start again from the first page.',
  },
  ALREADY_EXISTS: {
    status: 409,
    code: 'conflict',
    title: 'This is there already',
    hint: `${NOTHING_CHANGED} Go back to see it.`,
  },
  PERMISSION_DENIED: {
    status: 403,
    code: 'forbidden',
    title: 'You may not do this',
    hint: `${NOTHING_CHANGED} Go back to the first page and try from there.`,
  },
  RESOURCE_EXHAUSTED: {
    status: 429,
    code: 'rate_limited',
    title: 'Too often in a short time',
    hint: 'What you did before is kept. This limit keeps your family’s data safe from people who guess.',
  },
  FAILED_PRECONDITION: {
    status: 409,
    code: 'conflict',
    title: 'This cannot be done now',
    hint: `${NOTHING_CHANGED} Go back to the first page and try from there.`,
  },
  UNAUTHENTICATED: {
    status: 401,
    code: 'unauthenticated',
    title: 'Please sign in again',
    message: 'Your session has ended.',
    hint: 'What you did before is kept. Sign in, and go on from there.',
  },
  UNAVAILABLE: {
    status: 503,
    code: 'unavailable',
    title: 'A part of the service is away',
    message: 'We could not finish this just now. It is not your fault.',
    hint: 'Your family’s data is safe. If you were sending something, look whether it is there before you send it again.',
  },
  DEADLINE_EXCEEDED: {
    status: 503,
    code: 'unavailable',
    title: 'This is taking too long',
    message: 'We could not finish this in time.',
    hint: 'Your family’s data is safe. If you were sending something, look whether it is there before you send it again.',
  },
  INTERNAL: {
    status: 500,
    code: 'internal',
    title: 'Something went wrong on our side',
    message: 'It is not your fault, and we have been told.',
    hint: 'Your family’s data is safe. Try again in a moment; if it stays like this, write to us.',
  },
}

/** How an error a service answered with is shown. */
export function toErrorAnswer({ status, message, detail }: StatusError): ErrorAnswer {
  const { message: ownMessage, ...row } = TABLE[status]
  const wait = detail.retryAfterSec
  return {
    ...row,
    message: ownMessage ?? message,
    ...(wait ? { retryAfterSec: wait, hint: `Wait ${durationOf(wait)}, then try again. ${row.hint}` } : {}),
  }
}
