import type { ServiceError } from '@grpc/grpc-js'
import type { MethodDefinition } from './definition.ts'

export type WireError = Pick<ServiceError, 'code' | 'details' | 'metadata'>

export type OutgoingCall = { headers: Readonly<Record<string, string>>; deadline: number }

/** A caller's end of a transport. Calls wait for the callee until their deadline, and fail with a WireError. */
export type ClientTransport = {
  call(method: MethodDefinition, request: unknown, call: OutgoingCall): Promise<unknown>
  stream(method: MethodDefinition, request: unknown, call: OutgoingCall): ResponseStream
  close(): void
}

export type ResponseStream = AsyncIterable<unknown> & { cancel(): void }

export type IncomingCall = {
  request: unknown
  header(name: string): string | undefined
  deadline: number
  /** Aborted by the transport when the caller is gone, by the answer when it is complete. */
  ended: AbortController
}

/** How a service answers a method, whatever carries the call. */
export type Answer = { method: MethodDefinition } & ({ unary: UnaryAnswer } | { stream: StreamAnswer })

export type UnaryAnswer = (call: IncomingCall) => Promise<{ value: unknown } | { error: WireError }>

/** Returns the error that ends the stream, if any. */
export type StreamAnswer = (call: IncomingCall, write: Write) => Promise<WireError | undefined>

/** Takes a message. Returns a promise when the reader is behind; it settles when the reader wants more or is gone. */
export type Write = (message: unknown) => Promise<unknown> | undefined

export const STREAM_BUDGET_MS = 2 * 60 * 60_000

export const MAX_MESSAGE_BYTES = 4 * 1024 * 1024

/** How long calls in progress may take to end after their server begins to stop. */
export const DRAIN_MS = 5000
