import { connect, type JetStreamClient, type NatsConnection } from 'nats'
import { describeError, type Logger } from './logger.ts'

/**
 * Connects to NATS and keeps the connection for the life of the process: it reconnects by itself, for ever.
 * Requests fail within 1.5 s when no server is there.
 */
export async function connectNats(url: string, logger: Logger): Promise<NatsConnection> {
  const connection = await connect({
    servers: url.split(','),
    waitOnFirstConnect: true,
    maxReconnectAttempts: -1,
    reconnectTimeWait: 200,
    timeout: 1500,
    // The stack of every request's caller costs more than the request.
    noAsyncTraces: true,
  })
  watch(connection, logger)
  return connection
}

/**
 * Publishes to a JetStream stream and waits until the server has it on disk.
 * @param id the same id within the stream's duplicate window is stored once
 */
export async function publishDurably(
  stream: JetStreamClient,
  subject: string,
  id: string,
  data: Uint8Array,
): Promise<void> {
  await stream.publish(subject, data, { msgID: id, timeout: 1500 })
}

async function watch(connection: NatsConnection, logger: Logger): Promise<void> {
  try {
    for await (const { type } of connection.status())
      if (type === 'disconnect' || type === 'reconnect') logger.warn({ nats: type }, 'nats connection')
  } catch (error) {
    logger.error(describeError(error), 'nats status')
  }
}
