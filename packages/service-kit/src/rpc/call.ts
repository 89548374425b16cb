import type { Caller, Principal } from './identity.ts'
import { StatusError } from './status-error.ts'

/** What a handler knows of the call it answers, besides the request. */
export type Call = {
  caller: Caller
  /** The person's token, for services that ask about them; empty when a service calls for itself. */
  token: string
  /** When the answer is worthless, in milliseconds since 1970. */
  deadline: number
  /** Aborts as soon as the call has ended: answered, canceled by its caller, or late. Whatever waits long ends with it. */
  signal: AbortSignal
}

/** Why a call's signal aborts: an error of its own for each call would cost more than it says. */
export const ENDED = 'the call has ended'

export type Handler<Request, Response> = (request: Request, call: Call) => Promise<Response>

/** Answers with a stream; the caller sets its pace, and whoever goes away ends it (the generator is returned). */
export type StreamHandler<Request, Response> = (request: Request, call: Call) => AsyncIterable<Response>

/**
 * The person the call is made for.
 * @throws StatusError PERMISSION_DENIED when a service calls for itself
 */
export function requirePrincipal(call: Call): Principal {
  if (call.caller.kind === 'principal') return call.caller
  throw new StatusError('PERMISSION_DENIED', 'This call is made on behalf of a person.')
}

/**
 * The named services only. Answers with which of them it is.
 * @throws StatusError PERMISSION_DENIED for anyone else
 */
export function requireService(call: Call, ...services: string[]): string {
  if (call.caller.kind === 'service' && services.includes(call.caller.service)) return call.caller.service
  throw new StatusError('PERMISSION_DENIED', 'This call is between services.')
}
