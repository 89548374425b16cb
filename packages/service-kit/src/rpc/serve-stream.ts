import { once } from 'node:events'
import { type handleServerStreamingCall, type ServerWritableStream, status } from '@grpc/grpc-js'
import { ENDED, type HandlerContext, type StreamHandler } from './call.ts'
import { raceDeadline } from './deadline.ts'
import { handleCall, observeRpc, rpcSpan } from './instrument.ts'
import { toWire } from './wire-error.ts'

/** How long a reader may take nothing. MongoDB closes an export's cursor after the same time. */
const STALL_MS = 10 * 60_000

/** Adapts a streaming handler to gRPC: identifies the caller, applies backpressure, stops when the reader leaves or is late. */
export function serveStream(
  path: string,
  handler: StreamHandler<unknown, unknown>,
  { identify, logger }: HandlerContext,
): handleServerStreamingCall<unknown, unknown> {
  const answerCall = async (call: ServerWritableStream<unknown, unknown>) => {
    const startedAt = performance.now()
    const gone = new AbortController()
    call.once('cancelled', () => gone.abort(ENDED))
    try {
      const caller = await identify(call.metadata)
      const { signal } = gone
      await send(handler(call.request, { ...caller, deadline: Number(call.getDeadline()), signal }), call, signal)
      call.end()
      observeRpc(path, startedAt)
    } catch (error) {
      if (gone.signal.aborted) return observeRpc(path, startedAt, status.CANCELLED)
      const wire = toWire(error, path, logger)
      observeRpc(path, startedAt, wire.code)
      call.emit('error', wire)
    } finally {
      gone.abort(ENDED)
    }
  }
  const step = rpcSpan(path, 'server')
  return (call) => handleCall(call.metadata, step, () => answerCall(call))
}

async function send(pieces: AsyncIterable<unknown>, call: ServerWritableStream<unknown, unknown>, gone: AbortSignal) {
  for await (const piece of pieces) {
    gone.throwIfAborted()
    if (!call.write(piece)) await raceDeadline(once(call, 'drain', { signal: gone }), Date.now() + STALL_MS)
  }
}
