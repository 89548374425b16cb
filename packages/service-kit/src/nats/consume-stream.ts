import { setTimeout as sleep } from 'node:timers/promises'
import {
  AckPolicy,
  type ConsumeOptions,
  type ConsumerConfig,
  type ConsumerMessages,
  type JsMsg,
  type NatsConnection,
  nanos,
} from 'nats'
import { describeError, type Logger } from '../observability/logger.ts'
import { runIncoming } from '../observability/steps.ts'
import { extractTraceContext } from '../observability/trace-context.ts'

export type StreamReader = {
  connection: Promise<NatsConnection>
  stream: string
  /** Makes the stream, or leaves it as it is. */
  ensure(connection: NatsConnection): Promise<void>
  /** The name of the durable consumer, which all replicas share. */
  consumer: string
  /** What it is told of, and other rules of its own. */
  rules: Partial<ConsumerConfig>
  /** A message whose reader has not been heard of for so long is given to another replica. */
  ackWaitMs: number
  consume: ConsumeOptions
  /** How many messages are dealt with at once. */
  atOnce: number
  /** Deals with a message and tells the stream. Never throws. */
  handle(message: JsMsg): Promise<void>
  /** What is logged when the stream cannot be read, and how long until it is opened again. */
  trouble: string
  troubleMs: number
  logger: Logger
}

/**
 * Reads a JetStream stream for as long as the process lives: one durable consumer for all replicas, each message acknowledged by
 * itself. While NATS is away, or the stream is gone, it is opened again and again.
 */
export function consumeStream(reader: StreamReader): AsyncDisposable {
  let isClosed = false
  let open: ConsumerMessages | undefined

  async function run(): Promise<void> {
    while (!isClosed) {
      try {
        open = await openConsumer(reader)
        const messages = open[Symbol.asyncIterator]()
        await Promise.all(Array.from({ length: reader.atOnce }, () => work(messages, reader)))
      } catch (error) {
        if (!isClosed) reader.logger.warn(describeError(error), reader.trouble)
      }
      if (!isClosed) await sleep(reader.troubleMs, undefined, { ref: false })
    }
  }

  const running = run()
  return {
    async [Symbol.asyncDispose]() {
      isClosed = true
      await open?.close()
      if (open === undefined) return
      await running
      // What was dealt with should not come again because its acknowledgement was still in a buffer.
      await (await reader.connection).flush().catch(() => {})
    },
  }
}

/** Tells the stream again and again that a message is being dealt with, for work that may take longer than it waits. */
export function showSignsOfLife(message: JsMsg, everyMs: number): Disposable {
  const timer = setInterval(() => message.working(), everyMs)
  return { [Symbol.dispose]: () => clearInterval(timer) }
}

/** Gives a message back: it comes again, to any replica, after so many milliseconds. */
export function handBack(message: JsMsg, afterMs: number): void {
  // Whole milliseconds: NATS takes a delay with a fraction of a nanosecond for none at all.
  message.nak(Math.ceil(afterMs))
}

async function openConsumer(reader: StreamReader): Promise<ConsumerMessages> {
  const { stream, consumer, rules, ackWaitMs, consume } = reader
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
  return (await nats.jetstream().consumers.get(stream, consumer)).consume(consume)
}

/** All workers take from one iterator: the stream allows no second one. */
async function work(messages: AsyncIterator<JsMsg>, reader: StreamReader): Promise<void> {
  for (let next = await messages.next(); !next.done; next = await messages.next()) await receive(next.value, reader)
}

/** A message belongs to the request, and to the trace, it was published for. */
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
