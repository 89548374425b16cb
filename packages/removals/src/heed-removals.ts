import { setTimeout as sleep } from 'node:timers/promises'
import { describeError, type Logger } from '@family-inbox/service-kit/logger'
import { AckPolicy, type ConsumerMessages, type JsMsg, nanos } from 'nats'
import type { RemovalsOptions } from './announce-removal.ts'
import { ensureRemovalStream, REMOVAL_STREAM, type RemovalKind, removalSubject } from './removal-stream.ts'

/** Who has not been heard of for so long is dead, and another replica goes on. */
const ACK_WAIT_MS = 15_000
const SIGN_OF_LIFE_MS = 4000
const TROUBLE_MS = 5000
/** What was under way when something was forgotten may still have written for so long; then it is forgotten once more. */
const SETTLED_MS = 15 * 60_000

/** How a service forgets, by what is to be forgotten. May be called again for what is gone already. */
export type Forget = Partial<Record<RemovalKind, (id: string) => Promise<void>>>

/**
 * Forgets what is to be forgotten, for as long as the process lives: one durable consumer for all replicas of a service. A
 * removal comes back until it succeeded, and once more when everything that was under way has ended.
 * @param service names the consumer
 */
export function heedRemovals(
  options: RemovalsOptions & { service: string; logger: Logger; forget: Forget },
): AsyncDisposable {
  let isClosed = false
  let open: ConsumerMessages | undefined

  async function run(): Promise<void> {
    while (!isClosed) {
      try {
        open = await openConsumer(options)
        for await (const message of open) await dealWith(message, options)
      } catch (error) {
        options.logger.warn(describeError(error), 'removals cannot be read yet')
      }
      if (!isClosed) await sleep(TROUBLE_MS, undefined, { ref: false })
    }
  }

  const running = run()
  return {
    async [Symbol.asyncDispose]() {
      isClosed = true
      await open?.close()
      if (open !== undefined) await running
    },
  }
}

async function openConsumer({
  connection,
  natsReplicas,
  service,
  forget,
}: Parameters<typeof heedRemovals>[0]): Promise<ConsumerMessages> {
  const nats = await connection
  await ensureRemovalStream(nats, natsReplicas)
  const manager = await nats.jetstreamManager({ timeout: 5000 })
  const name = `${service}-removals`
  await manager.consumers.add(REMOVAL_STREAM, {
    durable_name: name,
    filter_subjects: (Object.keys(forget) as RemovalKind[]).map(removalSubject),
    ack_policy: AckPolicy.Explicit,
    ack_wait: nanos(ACK_WAIT_MS),
    max_deliver: -1,
  })
  const consumer = await nats.jetstream().consumers.get(REMOVAL_STREAM, name)
  return consumer.consume({ max_messages: 1 })
}

async function dealWith(message: JsMsg, { forget, logger }: Parameters<typeof heedRemovals>[0]): Promise<void> {
  // A large household takes longer than the queue waits for a process that is gone.
  const signsOfLife = setInterval(() => message.working(), SIGN_OF_LIFE_MS)
  try {
    const kind = message.subject.slice('removal.'.length) as RemovalKind
    await forget[kind]?.(message.string())
    const ageMs = Date.now() - message.info.timestampNanos / 1e6
    if (ageMs < SETTLED_MS) message.nak(SETTLED_MS - ageMs)
    else await message.ackAck()
  } catch (error) {
    logger.warn(describeError(error), 'a removal is not complete yet')
    message.nak(TROUBLE_MS)
  } finally {
    clearInterval(signsOfLife)
  }
}
