import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  connect,
  ErrorCode,
  headers,
  type JetStreamClient,
  type NatsConnection,
  NatsError,
  type StreamConfig,
} from 'nats'
import { requireFiles } from '../config/config.ts'
import { describeError, type Logger } from '../observability/logger.ts'
import { describeStep, takeStep } from '../observability/steps.ts'
import { injectTraceContext } from '../observability/trace-context.ts'
import type { Step } from '../observability/tracing.ts'
import { natsLogin } from './nats-identity.ts'

/** Where NATS is, and who logs in. */
export type NatsAccess = {
  natsUrl: string
  /** The service's private key; its NATS user is derived from it. */
  serviceKey: unknown
  /** Whether a server that asks nobody who they are is good enough. */
  natsUnauthenticated: boolean
  /** A folder with `ca.crt`, read at each connection; without it the system's authorities count. */
  natsTlsDir?: string
}

const OPEN_SERVER_WAIT_MS = 5000

/**
 * Logs in to NATS and keeps the connection for the life of the process: it reconnects forever.
 * Requests fail within 1.5 s when no server is there. An open server is not used unless that is allowed: anyone could publish
 * removals and mail on it. The promise waits until the server asks for a login.
 */
export async function connectNats(access: NatsAccess, logger: Logger): Promise<NatsConnection> {
  for (;;) {
    const connection = await open(access)
    if (access.natsUnauthenticated || connection.info?.auth_required) {
      watch(connection, logger)
      return connection
    }
    logger.error({}, 'nats-server lets in anyone: configure its users, or set NATS_UNAUTHENTICATED=true on one machine')
    await connection.close()
    await sleep(OPEN_SERVER_WAIT_MS, undefined, { ref: false })
  }
}

/** @throws ConfigError when the folder of the authority lacks its file */
async function open({ natsUrl, serviceKey, natsTlsDir }: NatsAccess): Promise<NatsConnection> {
  const servers = natsUrl.split(',')
  if (natsTlsDir !== undefined) requireFiles('NATS_TLS_DIR', natsTlsDir, ['ca.crt'])
  return connect({
    ...natsLogin(serviceKey),
    servers,
    // The client reads nothing from the scheme: without this option a server could talk it out of TLS.
    ...(servers.some((server) => server.startsWith('tls://')) && {
      tls: { caFile: natsTlsDir && join(natsTlsDir, 'ca.crt') },
    }),
    waitOnFirstConnect: true,
    maxReconnectAttempts: -1,
    // While its key is being replaced nats-server may hear of a user a moment later than the user.
    ignoreAuthErrorAbort: true,
    reconnectTimeWait: 200,
    timeout: 1500,
    // The stack of every request's caller costs more than the request.
    noAsyncTraces: true,
  })
}

/** The server has the stream, with another configuration. */
const STREAM_EXISTS = 10_058

/**
 * Makes a stream, or brings the one that is there to this configuration: more replicas, for example. Whoever writes to a
 * stream or reads it calls this at its start, so that the order of starts does not matter. Only the stream's owner may change
 * one that exists (`nats-users.ts`); for the others it stays as it is.
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
    await streams.update(config.name, config).catch(unlessNotAllowed)
  }
}

function unlessNotAllowed(error: unknown): void {
  if (!(error instanceof NatsError) || error.code !== ErrorCode.PermissionsViolation) throw error
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
    const traceContext = headers()
    injectTraceContext((name, value) => traceContext.set(name, value))
    const stored = await stream.publish(subject, data, { msgID: id, timeout: 1500, headers: traceContext })
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
