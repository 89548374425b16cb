import { consumeStream, handBack, showSignsOfLife } from '@family-inbox/service-kit/consume-stream'
import { describeError, type Logger } from '@family-inbox/service-kit/logger'
import type { JsMsg } from 'nats'
import type { RemovalsOptions } from './announce-removal.ts'
import {
  ensureRemovalStream,
  REMOVAL_SIGNER,
  REMOVAL_STREAM,
  type RemovalKind,
  removalSubject,
} from './removal-stream.ts'

const ACK_WAIT_MS = 15_000
const SIGN_OF_LIFE_MS = 4000
const TROUBLE_MS = 5000
/** What was under way when something was forgotten may still have written for so long; then it is forgotten once more. */
const SETTLED_MS = 15 * 60_000

/** How a service forgets, by what is to be forgotten. May be called again for what is gone already. */
export type Forget = Partial<Record<RemovalKind, (id: string) => Promise<void>>>

type HeedOptions = RemovalsOptions & { service: string; logger: Logger; forget: Forget }

/**
 * Forgets what is to be forgotten, one thing at a time. A removal comes back until it succeeded, and once more when
 * everything that was under way has ended. One that its signer did not sign is dropped.
 * @param service names the consumer
 */
export function heedRemovals(options: HeedOptions): AsyncDisposable {
  const { connection, natsReplicas, service, forget, logger } = options
  return consumeStream({
    connection,
    stream: REMOVAL_STREAM,
    ensure: (nats) => ensureRemovalStream(nats, natsReplicas),
    consumer: `${service}-removals`,
    rules: { filter_subjects: (Object.keys(forget) as RemovalKind[]).map(removalSubject) },
    ackWaitMs: ACK_WAIT_MS,
    consume: { max_messages: 1 },
    atOnce: 1,
    dealWith: (message) => dealWith(message, options),
    trouble: 'removals cannot be read yet',
    troubleMs: TROUBLE_MS,
    logger,
  })
}

async function dealWith(message: JsMsg, options: HeedOptions): Promise<void> {
  // A large household takes longer than the queue waits for a process that is gone.
  using _ = showSignsOfLife(message, SIGN_OF_LIFE_MS)
  const { forget, logger } = options
  const ageMs = Date.now() - message.info.timestampNanos / 1e6
  try {
    const kind = message.subject.slice('removal.'.length) as RemovalKind
    const id = await readId(message, kind, options)
    if (id === undefined) return dropUnsigned(message, ageMs, logger)
    await forget[kind]?.(id)
    if (ageMs < SETTLED_MS) handBack(message, SETTLED_MS - ageMs)
    else await message.ackAck()
  } catch (error) {
    logger.warn(describeError(error), 'a removal is not complete yet')
    handBack(message, TROUBLE_MS)
  }
}

/** What is to be forgotten, if the message is signed by the service that says so. */
async function readId(message: JsMsg, kind: RemovalKind, { identity }: HeedOptions): Promise<string | undefined> {
  const notice = await identity.verifyNotice(message.string(), message.subject).catch(() => undefined)
  return notice?.signer === REMOVAL_SIGNER[kind] ? notice.id : undefined
}

/** The key of the signer may be so new that this process has not heard of it: then the next one has, a little later. */
function dropUnsigned(message: JsMsg, ageMs: number, logger: Logger): void {
  logger.error({ subject: message.subject }, 'a removal is not signed by the service that may ask for it')
  if (ageMs < SETTLED_MS) handBack(message, SETTLED_MS - ageMs)
  else message.term()
}
