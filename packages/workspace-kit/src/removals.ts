import { consumeStream, handBack, showSignsOfLife } from '@family-inbox/service-kit/nats/consume-stream'
import { ensureStream, publishDurably } from '@family-inbox/service-kit/nats/nats'
import { describeError, type Logger } from '@family-inbox/service-kit/observability/logger'
import { raceDeadline } from '@family-inbox/service-kit/rpc/deadline'
import type { Identity } from '@family-inbox/service-kit/rpc/identity'
import { type JsMsg, type NatsConnection, nanos, RetentionPolicy, StorageType } from 'nats'

const PATIENCE_MS = 1200

type RemovalsOptions = {
  /** The connection, once there is one. */
  connection: Promise<NatsConnection>
  natsReplicas: number
  /** Signs removals, and verifies who did. */
  identity: Pick<Identity, 'signNotice' | 'verifyNotice'>
}

/**
 * Tells every service to forget a household, a person or a membership, and returns when that is on disk. Saying it twice does no harm.
 * @throws within some seconds when NATS is away; it may be said all the same
 */
export async function announceRemoval(options: RemovalsOptions, kind: RemovalKind, id: string): Promise<void> {
  const subject = removalSubject(kind)
  const notice = await options.identity.signNotice(subject, id)
  const connection = await raceDeadline(options.connection, Date.now() + PATIENCE_MS)
  await ensureRemovalStream(connection, options.natsReplicas)
  await publishDurably(connection.jetstream(), subject, `${kind}/${id}`, Buffer.from(notice))
}

const ACK_WAIT_MS = 15_000
const SIGN_OF_LIFE_MS = 4000
const TROUBLE_MS = 5000
/** What was under way when something was forgotten may still have written for so long; then it is forgotten once more. */
const SETTLED_MS = 15 * 60_000

/** How a service forgets, by what is to be forgotten. May be called again for what is gone already. */
type RemovalHandlers = Partial<Record<RemovalKind, (id: string) => Promise<void>>>

type ConsumeRemovalsOptions = RemovalsOptions & { service: string; logger: Logger; handlers: RemovalHandlers }

/**
 * Forgets what is to be forgotten, one thing at a time. A removal comes back until it succeeded, and once more when
 * everything that was under way has ended. One that its signer did not sign is dropped.
 * @param service names the consumer
 */
export function consumeRemovals(options: ConsumeRemovalsOptions): AsyncDisposable {
  const { connection, natsReplicas, service, handlers, logger } = options
  return consumeStream({
    connection,
    stream: REMOVAL_STREAM,
    ensure: (nats) => ensureRemovalStream(nats, natsReplicas),
    consumer: `${service}-removals`,
    rules: { filter_subjects: (Object.keys(handlers) as RemovalKind[]).map(removalSubject) },
    ackWaitMs: ACK_WAIT_MS,
    consume: { max_messages: 1 },
    atOnce: 1,
    handle: (message) => handle(message, options),
    trouble: 'removals cannot be read yet',
    troubleMs: TROUBLE_MS,
    logger,
  })
}

async function handle(message: JsMsg, options: ConsumeRemovalsOptions): Promise<void> {
  // A large household takes longer than the queue waits for a process that is gone.
  using _ = showSignsOfLife(message, SIGN_OF_LIFE_MS)
  const { handlers, logger } = options
  const ageMs = Date.now() - message.info.timestampNanos / 1e6
  try {
    const kind = message.subject.slice('removal.'.length) as RemovalKind
    const id = await readId(message, kind, options)
    if (id === undefined) return dropUnsigned(message, ageMs, logger)
    await handlers[kind]?.(id)
    if (ageMs < SETTLED_MS) handBack(message, SETTLED_MS - ageMs)
    else await message.ackAck()
  } catch (error) {
    logger.warn(describeError(error), 'a removal is not complete yet')
    handBack(message, TROUBLE_MS)
  }
}

/** What is to be forgotten, if the message is signed by the service that says so. */
async function readId(
  message: JsMsg,
  kind: RemovalKind,
  { identity }: ConsumeRemovalsOptions,
): Promise<string | undefined> {
  const notice = await identity.verifyNotice(message.string(), message.subject).catch(() => undefined)
  return notice?.signer === REMOVAL_SIGNER[kind] ? notice.id : undefined
}

/** The key of the signer may be so new that this process has not heard of it: then the next one has, a little later. */
function dropUnsigned(message: JsMsg, ageMs: number, logger: Logger): void {
  logger.error({ subject: message.subject }, 'a removal is not signed by the service that may ask for it')
  if (ageMs < SETTLED_MS) handBack(message, SETTLED_MS - ageMs)
  else message.term()
}

/** What is to be forgotten: a household with all that is in it, a person, or what a membership that has ended gave access to. */
type RemovalKind = 'workspace' | 'person' | 'membership'

/** The one service each kind of removal is believed from. */
const REMOVAL_SIGNER: Readonly<Record<RemovalKind, string>> = {
  workspace: 'care-circle',
  membership: 'care-circle',
  person: 'auth',
}

/** The stream of what is to be forgotten: ids, signed, and nothing else. */
export const REMOVAL_STREAM = 'REMOVALS'

/** Kept for so long, for a service that was away, or is new. */
const KEPT_MS = 365 * 24 * 60 * 60_000

function removalSubject(kind: RemovalKind): string {
  return `removal.${kind}`
}

/**
 * Makes the stream, or leaves it as it is. Every service that says or hears what is to be forgotten calls this, so that the
 * order of starts does not matter.
 * @param replicas how many NATS servers hold each removal: 1 on one machine, 3 on a cluster
 */
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

/** A membership that has ended. Both times are care-circle's. */
export type EndedMembership = { workspaceId: string; personId: string; since: Date; endedAt: Date }

/** How an ended membership is announced: like every removal by ids, and by nothing that says who somebody is. */
export function nameEndedMembership({ workspaceId, personId, since, endedAt }: EndedMembership): string {
  return [workspaceId, personId, since.getTime(), endedAt.getTime()].join('/')
}

/** Reads what `nameEndedMembership` wrote. */
export function readEndedMembership(id: string): EndedMembership {
  const [workspaceId = '', personId = '', since, endedAt] = id.split('/')
  return { workspaceId, personId, since: new Date(Number(since)), endedAt: new Date(Number(endedAt)) }
}
