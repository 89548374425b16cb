import { setTimeout as sleep } from 'node:timers/promises'
import { describeError, type Logger } from '../observability/logger.ts'
import { runIncoming } from '../observability/spans.ts'
import { extractTraceContext } from '../observability/trace-context.ts'
import {
  AckPolicy,
  type ConsumeOptions,
  type ConsumerConfig,
  type ConsumerMessages,
  type JsMsg,
  type NatsConnection,
  nanos,
} from './client.ts'

export type StreamReader = {
  connection: Promise<NatsConnection>
  stream: string
  ensure(connection: NatsConnection): Promise<void>
  consumer: string
  rules: Partial<ConsumerConfig>
  /** A message without acknowledgement or progress for this long goes to another replica. */
  ackWaitMs: number
  concurrency: number
  /** How many messages are asked for at a time. Default: as many as are handled at a time. */
  prefetch?: number
  handle(message: JsMsg): Promise<void>
  failureMessage: string
  retryMs: number
  logger: Logger
}

/** A deleted stream or consumer is detected within one expiry period. */
const EXPIRES_MS = 8000

/** Reads a JetStream stream until disposed of. If NATS is down or the stream is missing, it retries. */
export function consumeStream(reader: StreamReader): AsyncDisposable {
  let isClosed = false
  let open: ConsumerMessages | undefined

  async function run(): Promise<void> {
    while (!isClosed) {
      try {
        const messages = await openConsumer(reader)
        // Nobody else would close it, and the client would look for its messages forever.
        if (isClosed) return void messages.close()
        open = messages
        await takeAll(messages, reader)
      } catch (error) {
        if (!isClosed) reader.logger.warn(describeError(error), reader.failureMessage)
      }
      open = undefined
      if (!isClosed) await sleep(reader.retryMs, undefined, { ref: false })
    }
  }

  const running = run()
  return {
    async [Symbol.asyncDispose]() {
      isClosed = true
      if (open === undefined) return
      await open.close()
      await running
      // A message must not come again because its acknowledgement was still buffered.
      await (await reader.connection).flush().catch(() => {})
    },
  }
}

/** Reports progress on a message at an interval, for work that may exceed the acknowledgement wait. */
export function keepInProgress(message: JsMsg, everyMs: number): Disposable {
  const timer = setInterval(() => message.working(), everyMs)
  return { [Symbol.dispose]: () => clearInterval(timer) }
}

/** Returns a message for redelivery, to any replica, after a delay in milliseconds. */
export function redeliverAfter(message: JsMsg, afterMs: number): void {
  // Whole milliseconds: NATS ignores a delay with a fraction of a nanosecond.
  message.nak(Math.ceil(afterMs))
}

const ERASED_WITHIN_MS = 2000

/**
 * Acknowledges a message that is done, and first writes over it in the files of NATS, which keep it otherwise until they are
 * compacted. Without the right to do so, it is only acknowledged: work that is done must not come again.
 */
export async function eraseAndAck({ connection, logger }: Eraser, message: JsMsg): Promise<void> {
  const { stream, streamSequence } = message.info
  try {
    const { streams } = await (await connection).jetstreamManager({ timeout: ERASED_WITHIN_MS, checkAPI: false })
    await streams.deleteMessage(stream, streamSequence, true)
    message.ack()
  } catch (error) {
    logger.warn({ stream, ...describeError(error) }, 'a message that is done could not be erased')
    await message.ackAck()
  }
}

type Eraser = Pick<StreamReader, 'connection' | 'logger'>

const UNSIGNED_RETRY_MS = 60_000
const UNSIGNED_KEPT_MS = 15 * 60_000

/** The signer's key may be too new for this process, so an unsigned message comes again for a while before it is dropped. */
export function deferUnsigned(message: JsMsg, logger: Logger): void {
  logger.error({ subject: message.subject }, 'a message is not signed by the service that may send it')
  if (ageOf(message) < UNSIGNED_KEPT_MS) redeliverAfter(message, UNSIGNED_RETRY_MS)
  else message.term()
}

function ageOf({ info }: JsMsg): number {
  return Date.now() - info.timestampNanos / 1e6
}

async function openConsumer(reader: StreamReader): Promise<ConsumerMessages> {
  const { stream, consumer, rules, ackWaitMs, concurrency, prefetch = concurrency } = reader
  const nats = await reader.connection
  await reader.ensure(nats)
  const manager = await nats.jetstreamManager({ timeout: 5000 })
  await manager.consumers.add(stream, {
    durable_name: consumer,
    ack_policy: AckPolicy.Explicit,
    ack_wait: nanos(ackWaitMs),
    max_deliver: -1,
    ...rules,
  })
  return (await nats.jetstream().consumers.get(stream, consumer)).consume({
    max_messages: prefetch,
    expires: EXPIRES_MS,
    abort_on_missing_resource: true,
  } as ConsumeOptions)
}

async function takeAll(opened: ConsumerMessages, reader: StreamReader): Promise<void> {
  const messages = opened[Symbol.asyncIterator]()
  await Promise.all(Array.from({ length: reader.concurrency }, () => work(messages, reader)))
}

async function work(messages: AsyncIterator<JsMsg>, reader: StreamReader): Promise<void> {
  for (let next = await messages.next(); !next.done; next = await messages.next()) await receive(next.value, reader)
}

function receive(message: JsMsg, { stream, consumer, handle }: StreamReader): Promise<void> {
  const traceContext = extractTraceContext((name) => message.headers?.get(name))
  const attributes = {
    'messaging.system': 'nats',
    'messaging.operation.type': 'process',
    'messaging.destination.name': stream,
    'messaging.consumer.group.name': consumer,
  }
  return runIncoming(traceContext, { name: `process ${stream}`, kind: 'consumer', attributes }, () => handle(message))
}
