import type { OutgoingMail } from '@family-inbox/proto/mail/v1/mail'
import { describeError, type Logger } from '@family-inbox/service-kit/logger'
import { connectNats } from '@family-inbox/service-kit/nats'
import { raceDeadline } from '@family-inbox/service-kit/rpc/deadline'
import type { NatsConnection } from 'nats'
import { ensureMailStream } from './mail-stream.ts'
import { queueMail } from './queue-mail.ts'

export type MailQueue = AsyncDisposable & {
  /**
   * Returns when the mail is on disk in the queue. The same id again is the same mail.
   * @throws within some 1.5 s when NATS is away; the mail may be queued all the same
   */
  send(mail: OutgoingMail): Promise<void>
  /** The connection, once there is one; for whoever reads the queue. */
  connection: Promise<NatsConnection>
}

const PATIENCE_MS = 1200

/**
 * Opens the queue of outgoing mail behind the caller's back: whatever needs no mail must work also while NATS is away. A
 * stream that is not there, or that has gone, is made before the next mail.
 */
export function openMailQueue(config: { natsUrl: string; natsReplicas: number }, logger: Logger): MailQueue {
  const connecting = connectNats(config.natsUrl, logger)
  let opening: ReturnType<typeof open> | undefined
  let isClosed = false

  async function open() {
    const connection = await connecting
    await ensureMailStream(connection, config.natsReplicas)
    return connection.jetstream()
  }

  function startOpening() {
    const attempt = open()
    opening = attempt
    attempt.catch((error) => {
      if (!isClosed) logger.warn(describeError(error), 'the mail queue cannot be opened yet')
      if (opening === attempt) opening = undefined
    })
    return attempt
  }

  startOpening()
  return {
    connection: connecting,
    async send(mail) {
      const attempt = opening ?? startOpening()
      const stream = await raceDeadline(attempt, Date.now() + PATIENCE_MS)
      try {
        await queueMail(stream, mail)
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
