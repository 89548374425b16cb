import type { Caller, Principal } from './identity.ts'
import { StatusError } from './status-error.ts'

export type Call = {
  caller: Caller
  token: string
  deadline: number
  /** Aborts when the call ends: answered, canceled or late. Long waits must honor it. */
  signal: AbortSignal
}

/** The abort reason. A constant, because creating an Error for each call is expensive. */
export const ENDED = 'the call has ended'

export type Handler<Request, Response> = (request: Request, call: Call) => Promise<Response>

/** Streams its response. The caller sets the pace; if the caller leaves, the generator is returned. */
export type StreamHandler<Request, Response> = (request: Request, call: Call) => AsyncIterable<Response>

/** @throws StatusError PERMISSION_DENIED when a service calls for itself */
export function requirePrincipal(call: Call): Principal {
  if (call.caller.kind === 'principal') return call.caller
  throw new StatusError('PERMISSION_DENIED', 'This call is made on behalf of a person.')
}

/** Returns which of the named services calls. @throws StatusError PERMISSION_DENIED for anyone else */
export function requireService(call: Call, ...services: string[]): string {
  if (call.caller.kind === 'service' && services.includes(call.caller.service)) return call.caller.service
  throw new StatusError('PERMISSION_DENIED', 'Only certain services may make this call.')
}
