import { join } from 'node:path'
import { connect, headers, type JetStreamClient, type NatsConnection, NatsError, type StreamConfig } from 'nats'
import { requireFiles } from './config.ts'
import { describeError, type Logger } from './logger.ts'
import { sendAlong } from './trace/along.ts'
import { describeStep, takeStep } from './trace/steps.ts'
import type { Step } from './trace/tracing.ts'

/**
 * Connects to NATS and keeps the connection for the life of the process: it reconnects by itself, for ever.
 * Requests fail within 1.5 s when no server is there.
 * @throws ConfigError when `tlsDir` lacks its file
 * @param url servers, separated by commas; where one is `tls://`, none is spoken to without TLS
 * @param tlsDir has `ca.crt`, read at each connection; without it the authorities of the system count
 */
export async function connectNats(url: string, logger: Logger, tlsDir?: string): Promise<NatsConnection> {
  const servers = url.split(',')
  if (tlsDir !== undefined) requireFiles('NATS_TLS_DIR', tlsDir, ['ca.crt'])
  const connection = await connect({
    servers,
    // The client reads nothing from the scheme: without this option a server could talk it out of TLS.
    ...(servers.some((server) => server.startsWith('tls://')) && {
      tls: { caFile: tlsDir && join(tlsDir, 'ca.crt') },
    }),
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

/** The server has the stream, with another configuration. */
const STREAM_EXISTS = 10_058

/**
 * Makes a stream, or brings the one that is there to this configuration: more replicas, for example. Whoever writes to a
 * stream or reads it calls this at its start, so that the order of starts does not matter.
 */
export async function ensureStream(
  connection: NatsConnection,
  config: Partial<StreamConfig> & Pick<StreamConfig, 'name'>,
): Promise<void> {
  const { streams } = await connection.jetstreamManager({ timeout: 5000 })
  try {
    await streams.add(config)
  } catch (error) {
    if (!(error instanceof NatsError) || error.jsError()?.err_code !== STREAM_EXISTS) throw error
    await streams.update(config.name, config)
  }
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
  await takeStep(PUBLISH, async () => {
    const along = headers()
    sendAlong((name, value) => along.set(name, value))
    const stored = await stream.publish(subject, data, { msgID: id, timeout: 1500, headers: along })
    describeStep({ 'messaging.destination.name': stored.stream })
  })
}

const PUBLISH: Step = {
  name: 'publish',
  kind: 'producer',
  attributes: { 'messaging.system': 'nats', 'messaging.operation.type': 'send' },
}

async function watch(connection: NatsConnection, logger: Logger): Promise<void> {
  try {
    for await (const { type } of connection.status())
      if (type === 'disconnect' || type === 'reconnect') logger.warn({ nats: type }, 'nats connection')
  } catch (error) {
    logger.error(describeError(error), 'nats status')
  }
}
