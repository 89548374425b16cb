import {
  type JsMsg,
  type NatsConnection,
  nanos,
  RetentionPolicy,
  StorageType,
} from '@family-inbox/service-kit/nats/client'
import {
  consumeStream,
  deferUnsigned,
  keepInProgress,
  redeliverAfter,
} from '@family-inbox/service-kit/nats/consume-stream'
import { ensureStream, publishDurably } from '@family-inbox/service-kit/nats/nats'
import { describeError, type Logger } from '@family-inbox/service-kit/observability/logger'
import { raceDeadline } from '@family-inbox/service-kit/rpc/deadline'
import type { Identity } from '@family-inbox/service-kit/rpc/identity'
import { DAY_MS } from '@family-inbox/service-kit/time/days'

const TIMEOUT_MS = 1200

type RemovalsOptions = {
  connection: Promise<NatsConnection>
  natsReplicas: number
  identity: Pick<Identity, 'signNotice' | 'verifyNotice'>
}

/** Resolves when the request is on disk. Idempotent. Throws when NATS is down; it may still be sent. */
export async function announceRemoval(options: RemovalsOptions, kind: RemovalKind, id: string): Promise<void> {
  const subject = removalSubject(kind)
  const notice = await options.identity.signNotice(subject, id)
  const connection = await raceDeadline(options.connection, Date.now() + TIMEOUT_MS)
  await ensureRemovalStream(connection, options.natsReplicas)
  await publishDurably(connection.jetstream(), subject, `${kind}/${id}`, Buffer.from(notice))
}

const ACK_WAIT_MS = 15_000
const PROGRESS_INTERVAL_MS = 4000
const RETRY_MS = 5000
/** Calls in progress during a removal may still write for this long, so the removal then runs once more. */
const SECOND_RUN_MS = 15 * 60_000

/** Must be idempotent. */
type RemovalHandlers = Partial<Record<RemovalKind, (id: string) => Promise<void>>>

type ConsumeRemovalsOptions = RemovalsOptions & { service: string; logger: Logger; handlers: RemovalHandlers }

/** Runs removals in turn, each until it succeeds, and again after `SECOND_RUN_MS`. Drops those with a wrong signature. */
export function consumeRemovals(options: ConsumeRemovalsOptions): AsyncDisposable {
  const { connection, natsReplicas, service, handlers, logger } = options
  return consumeStream({
    connection,
    stream: REMOVAL_STREAM,
    ensure: (nats) => ensureRemovalStream(nats, natsReplicas),
    consumer: `${service}-removals`,
    rules: { filter_subjects: (Object.keys(handlers) as RemovalKind[]).map(removalSubject) },
    ackWaitMs: ACK_WAIT_MS,
    concurrency: 1,
    handle: (message) => handle(message, options),
    failureMessage: 'removals cannot be read yet',
    retryMs: RETRY_MS,
    logger,
  })
}

async function handle(message: JsMsg, options: ConsumeRemovalsOptions): Promise<void> {
  // Removing a large workspace takes longer than the acknowledgement wait.
  using _ = keepInProgress(message, PROGRESS_INTERVAL_MS)
  const { handlers, logger } = options
  const ageMs = Date.now() - message.info.timestampNanos / 1e6
  try {
    const kind = message.subject.slice('removal.'.length) as RemovalKind
    const id = await readId(message, kind, options)
    if (id === undefined) return deferUnsigned(message, logger)
    await handlers[kind]?.(id)
    if (ageMs < SECOND_RUN_MS) redeliverAfter(message, SECOND_RUN_MS - ageMs)
    else await message.ackAck()
  } catch (error) {
    logger.warn(describeError(error), 'removal not complete yet')
    redeliverAfter(message, RETRY_MS)
  }
}

async function readId(
  message: JsMsg,
  kind: RemovalKind,
  { identity }: ConsumeRemovalsOptions,
): Promise<string | undefined> {
  const notice = await identity.verifyNotice(message.string(), message.subject).catch(() => undefined)
  return notice?.signer === REMOVAL_SIGNER[kind] ? notice.id : undefined
}

type RemovalKind = 'workspace' | 'person' | 'membership'

const REMOVAL_SIGNER: Readonly<Record<RemovalKind, string>> = {
  workspace: 'care-circle',
  membership: 'care-circle',
  person: 'auth',
}

export const REMOVAL_STREAM = 'REMOVALS'

const KEPT_MS = 365 * DAY_MS

function removalSubject(kind: RemovalKind): string {
  return `removal.${kind}`
}

async function ensureRemovalStream(connection: NatsConnection, replicas: number): Promise<void> {
  await ensureStream(connection, {
    name: REMOVAL_STREAM,
    subjects: ['removal.>'],
    retention: RetentionPolicy.Limits,
    storage: StorageType.File,
    max_age: nanos(KEPT_MS),
    num_replicas: replicas,
  })
}

/** Times are by care-circle's clock. */
export type EndedMembership = { workspaceId: string; personId: string; since: Date; endedAt: Date }

export function endedMembershipId({ workspaceId, personId, since, endedAt }: EndedMembership): string {
  return [workspaceId, personId, since.getTime(), endedAt.getTime()].join('/')
}

export function parseEndedMembership(id: string): EndedMembership {
  const [workspaceId = '', personId = '', since, endedAt] = id.split('/')
  return { workspaceId, personId, since: new Date(Number(since)), endedAt: new Date(Number(endedAt)) }
}
