import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { requireFiles } from '../config/config.ts'
import { describeError, type Logger } from '../observability/logger.ts'
import { count } from '../observability/metrics.ts'
import { setSpanAttributes, withSpan } from '../observability/spans.ts'
import { exportReachability } from '../observability/store-metrics.ts'
import { injectTraceContext } from '../observability/trace-context.ts'
import type { SpanOptions } from '../observability/tracing.ts'
import {
  connect,
  ErrorCode,
  headers,
  type JetStreamClient,
  type NatsConnection,
  NatsError,
  nanos,
  RetentionPolicy,
  StorageType,
  type StreamConfig,
} from './client.ts'
import { natsLogin } from './nats-identity.ts'

export type NatsAccess = {
  natsUrl: string
  serviceKey: unknown
  natsUnauthenticated: boolean
  natsTlsDir?: string
}

const OPEN_SERVER_WAIT_MS = 5000

/** Connects and reconnects forever. Waits while the server requires no login: anyone could publish removals and mail there. */
export async function connectNats(access: NatsAccess, logger: Logger): Promise<NatsConnection> {
  exportReachability('nats', async () => false)
  for (;;) {
    const connection = await open(access)
    if (access.natsUnauthenticated || connection.info?.auth_required) {
      void onBreaks(connection, logger, (nats) => logger.warn({ nats }, 'NATS connection'))
      exportReachability('nats', () => answers(connection))
      return connection
    }
    logger.error(
      {},
      'nats-server requires no login: configure its users, or set NATS_UNAUTHENTICATED=true on a single machine',
    )
    await connection.close()
    await sleep(OPEN_SERVER_WAIT_MS, undefined, { ref: false })
  }
}

/** Closes a connection now, or as soon as it is made: nobody waits for NATS to come back. What was never made needs no closing. */
export async function closeNats(connecting: Promise<NatsConnection>): Promise<void> {
  const isConnected = (await Promise.race([connecting, undefined]).catch(() => undefined)) !== undefined
  const closed = connecting.then((connection) => connection.close())
  if (isConnected) await closed
  else closed.catch(() => {}) // whoever opened it logs why it failed
}

async function answers(connection: NatsConnection): Promise<boolean> {
  await connection.flush()
  return true
}

async function open({ natsUrl, serviceKey, natsTlsDir }: NatsAccess): Promise<NatsConnection> {
  const servers = natsUrl.split(',')
  if (natsTlsDir !== undefined) requireFiles('NATS_TLS_DIR', natsTlsDir, ['ca.crt'])
  return connect({
    ...natsLogin(serviceKey),
    servers,
    // The client ignores the URL scheme: without this option a server could downgrade it to plain text.
    ...(servers.some((server) => server.startsWith('tls://')) && {
      tls: { caFile: natsTlsDir && join(natsTlsDir, 'ca.crt') },
    }),
    waitOnFirstConnect: true,
    maxReconnectAttempts: -1,
    // During key replacement nats-server may learn of a user a moment after the user connects.
    ignoreAuthErrorAbort: true,
    reconnectTimeWait: 200,
    timeout: 1500,
    // Measured: the stack trace of each request's caller costs more than the request.
    noAsyncTraces: true,
  })
}

const STREAM_EXISTS = 10_058

/** Creates or updates a stream, so start order does not matter. Only its owner may change it (`nats-users.ts`). */
export async function ensureStream(
  connection: NatsConnection,
  config: Partial<StreamConfig> & Pick<StreamConfig, 'name'>,
): Promise<void> {
  const { streams } = await connection.jetstreamManager({ timeout: 5000 })
  try {
    await streams.add(config)
  } catch (error) {
    if (!(error instanceof NatsError) || error.jsError()?.err_code !== STREAM_EXISTS) throw error
    await streams.update(config.name, config).catch(unlessNotAllowed)
  }
}

type WorkQueue = {
  name: string
  subjects: string
  replicas: number
  /** For how long a message with the same id is stored once; NATS' default is two minutes. */
  duplicateWindowMs?: number
}

/** A stream on disk whose messages go to one consumer, and leave it when that is done with them. */
export async function ensureWorkQueue(
  connection: NatsConnection,
  { name, subjects, replicas, duplicateWindowMs }: WorkQueue,
): Promise<void> {
  await ensureStream(connection, {
    name,
    subjects: [subjects],
    retention: RetentionPolicy.Workqueue,
    storage: StorageType.File,
    ...(duplicateWindowMs !== undefined && { duplicate_window: nanos(duplicateWindowMs) }),
    num_replicas: replicas,
  })
}

function unlessNotAllowed(error: unknown): void {
  if (!(error instanceof NatsError) || error.code !== ErrorCode.PermissionsViolation) throw error
}

/** Carries a notice that proves who published the message. */
export const NOTICE_HEADER = 'Notice'

/** Publishes to a JetStream stream and waits until it is on disk. The same id within the duplicate window is stored once. @returns its sequence number */
export async function publishDurably(
  stream: JetStreamClient,
  subject: string,
  id: string,
  data: Uint8Array,
  notice?: string,
): Promise<number> {
  return withSpan(PUBLISH, async () => {
    const fields = headers()
    injectTraceContext((name, value) => fields.set(name, value))
    if (notice !== undefined) fields.set(NOTICE_HEADER, notice)
    const stored = await stream
      .publish(subject, data, { msgID: id, timeout: 1500, headers: fields })
      .catch(countRefused)
    setSpanAttributes({ 'messaging.destination.name': stored.stream })
    return stored.seq
  })
}

const refused = count({
  name: 'queue_failures_total',
  help: 'Messages that NATS did not confirm to be on disk.',
  labels: [],
})

function countRefused(error: unknown): never {
  refused.inc()
  throw error
}

const PUBLISH: SpanOptions = {
  name: 'publish',
  kind: 'producer',
  attributes: { 'messaging.system': 'nats', 'messaging.operation.type': 'send' },
}

/** Calls back when the connection is lost and when it is back: what was published meanwhile was not received. */
export async function onBreaks(
  connection: NatsConnection,
  logger: Logger,
  tell: (type: 'disconnect' | 'reconnect') => void,
): Promise<void> {
  try {
    for await (const { type } of connection.status()) if (type === 'disconnect' || type === 'reconnect') tell(type)
  } catch (error) {
    logger.error(describeError(error), 'NATS status')
  }
}
