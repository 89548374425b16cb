import { status } from '@grpc/grpc-js'
import type { Logger } from '../observability/logger.ts'
import { runIncoming } from '../observability/spans.ts'
import { extractTraceContext } from '../observability/trace-context.ts'
import { type Call, ENDED, type Handler, type StreamHandler } from './call.ts'
import { raceDeadline } from './deadline.ts'
import type { Identity } from './identity.ts'
import { observeRpc, rpcSpan } from './instrument.ts'
import { StatusError } from './status-error.ts'
import type { IncomingCall, StreamAnswer, UnaryAnswer, Write } from './transport.ts'
import { toWireError, wireError } from './wire-error.ts'

export const PRINCIPAL = 'principal'

const DEFAULT_BUDGET_MS = 2000
/** Time for UNAVAILABLE to reach a caller with the same deadline. */
const MARGIN_MS = 100
/** How long a reader may take nothing. MongoDB closes an export's cursor after the same time. */
const STALL_MS = 10 * 60_000

type AnswerContext = { identity: Identity; logger: Logger }

/** Identifies the caller, bounds the time, and converts errors. */
export function answerUnary(
  path: string,
  handler: Handler<unknown, unknown>,
  { identity, logger }: AnswerContext,
): UnaryAnswer {
  const answer: UnaryAnswer = async (incoming) => {
    const startedAt = performance.now()
    const deadline = Math.min(incoming.deadline, Date.now() + DEFAULT_BUDGET_MS)
    const outcome = await toOutcome(async () => {
      const call = await identifyCall(identity, { ...incoming, deadline })
      return raceDeadline(handler(incoming.request, call), deadline - MARGIN_MS)
    })
    incoming.ended.abort(ENDED)
    if ('value' in outcome) {
      observeRpc(path, startedAt)
      return outcome
    }
    const error = toWireError(outcome.error, path, logger)
    observeRpc(path, startedAt, error.code)
    return { error }
  }
  const span = rpcSpan(path, 'server')
  return (call) => runIncoming(extractTraceContext(call.header), span, () => answer(call))
}

/** The same for a stream: writes at the reader's pace, and stops when the reader leaves or is late. */
export function answerStream(
  path: string,
  handler: StreamHandler<unknown, unknown>,
  { identity, logger }: AnswerContext,
): StreamAnswer {
  const answer: StreamAnswer = async (incoming, write) => {
    const startedAt = performance.now()
    const { signal } = incoming.ended
    try {
      const call = await identifyCall(identity, incoming)
      await writeAll(handler(incoming.request, call), write, signal)
      observeRpc(path, startedAt)
      return undefined
    } catch (error) {
      const wire = signal.aborted ? wireError(status.CANCELLED) : toWireError(error, path, logger)
      observeRpc(path, startedAt, wire.code)
      return wire
    } finally {
      incoming.ended.abort(ENDED)
    }
  }
  const span = rpcSpan(path, 'server')
  return (call, write) => runIncoming(extractTraceContext(call.header), span, () => answer(call, write))
}

async function writeAll(messages: AsyncIterable<unknown>, write: Write, gone: AbortSignal): Promise<void> {
  for await (const message of messages) {
    gone.throwIfAborted()
    const drained = write(message)
    if (drained !== undefined) await raceDeadline(drained, Date.now() + STALL_MS)
  }
}

async function toOutcome<T>(work: () => Promise<T>): Promise<{ value: T } | { error: unknown }> {
  try {
    return { value: await work() }
  } catch (error) {
    return { error }
  }
}

async function identifyCall(identity: Identity, { header, deadline, ended }: IncomingCall): Promise<Call> {
  const token = header(PRINCIPAL)
  const caller = await identity.identify(bearerOf(header('authorization')), token)
  return { token: token ?? '', caller, deadline, signal: ended.signal }
}

function bearerOf(value: string | undefined): string {
  if (value?.startsWith('Bearer ')) return value.slice('Bearer '.length)
  throw new StatusError('UNAUTHENTICATED', 'The caller could not be identified.')
}
