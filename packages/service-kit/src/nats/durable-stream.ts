import type { JetStreamClient, NatsConnection } from 'nats'
import { describeError, type Logger } from '../observability/logger.ts'
import { raceDeadline } from '../rpc/deadline.ts'
import { connectNats, type NatsAccess, publishDurably } from './nats.ts'

export type DurableStream = AsyncDisposable & {
  /**
   * Returns when the message is on disk in the stream. The same id again, within the stream's duplicate window, is the same
   * message.
   * @throws within some 1.5 s when NATS is away; the message may be in the stream all the same
   */
  publish(subject: string, id: string, data: Uint8Array): Promise<void>
  /** The connection, once there is one; for whoever reads the stream. */
  connection: Promise<NatsConnection>
}

/** Where NATS is, as services have it among their settings. */
export type NatsConfig = { natsUrl: string; natsReplicas: number; natsTlsDir?: string }

const PATIENCE_MS = 1200

/**
 * Opens a stream for writing behind the caller's back: whatever needs it not must work also while NATS is away. A stream that
 * is not there, or that has gone, is made before the next message.
 * @param ensure makes the stream, or leaves it as it is
 */
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
      if (!isClosed) logger.warn(describeError(error), 'a stream cannot be opened yet')
      if (opening === attempt) opening = undefined
    })
    return attempt
  }

  startOpening()
  return {
    connection: connecting,
    async publish(subject, id, data) {
      const attempt = opening ?? startOpening()
      const stream = await raceDeadline(attempt, Date.now() + PATIENCE_MS)
      try {
        await publishDurably(stream, subject, id, data)
      } catch (error) {
        if (opening === attempt) opening = undefined
        throw error
      }
    },
    async [Symbol.asyncDispose]() {
      isClosed = true
      const connection = await Promise.race([connecting, undefined])
      await connection?.close()
    },
  }
}
