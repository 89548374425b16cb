import { describeError, type Logger } from '../observability/logger.ts'
import { raceDeadline } from '../rpc/deadline.ts'
import type { JetStreamClient, NatsConnection } from './client.ts'
import { closeNats, connectNats, type NatsAccess, publishDurably } from './nats.ts'

export type DurableStream = AsyncDisposable & {
  /**
   * Resolves when the message is on disk.
   * @returns its sequence number
   * @throws within about 1.5 s when NATS is down; it may still be in the stream
   */
  publish(subject: string, id: string, data: Uint8Array, notice?: string): Promise<number>
  connection: Promise<NatsConnection>
}

export type NatsConfig = { natsUrl: string; natsReplicas: number; natsTlsDir?: string }

const TIMEOUT_MS = 1200

/** Opens a stream in the background, so that services start while NATS is down. @param ensure creates a missing stream */
export function openDurableStream(
  access: NatsAccess,
  ensure: (connection: NatsConnection) => Promise<void>,
  logger: Logger,
): DurableStream {
  const connecting = connectNats(access, logger)
  let opening: Promise<JetStreamClient> | undefined
  let isClosed = false

  async function open() {
    const connection = await connecting
    await ensure(connection)
    return connection.jetstream()
  }

  function startOpening() {
    const attempt = open()
    opening = attempt
    attempt.catch((error) => {
      if (!isClosed) logger.warn(describeError(error), 'stream cannot be opened yet')
      if (opening === attempt) opening = undefined
    })
    return attempt
  }

  void startOpening() // logs its own failure
  return {
    connection: connecting,
    async publish(subject, id, data, notice) {
      const attempt = opening ?? startOpening()
      const stream = await raceDeadline(attempt, Date.now() + TIMEOUT_MS)
      try {
        return await publishDurably(stream, subject, id, data, notice)
      } catch (error) {
        if (opening === attempt) opening = undefined
        throw error
      }
    },
    async [Symbol.asyncDispose]() {
      isClosed = true
      await closeNats(connecting)
    },
  }
}
