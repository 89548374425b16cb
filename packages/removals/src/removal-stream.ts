import { ensureStream } from '@family-inbox/service-kit/nats'
import { type NatsConnection, nanos, RetentionPolicy, StorageType } from 'nats'

/** What is to be forgotten: a household with all that is in it, a person, or what a membership that has ended gave access to. */
export type RemovalKind = 'household' | 'person' | 'membership'

/** The one service each kind of removal is believed from. */
export const REMOVAL_SIGNER: Readonly<Record<RemovalKind, string>> = {
  household: 'care-circle',
  membership: 'care-circle',
  person: 'auth',
}

/** The stream of what is to be forgotten: ids, signed, and nothing else. */
export const REMOVAL_STREAM = 'REMOVALS'

/** Kept for so long, for a service that was away, or is new. */
const KEPT_MS = 365 * 24 * 60 * 60_000

export function removalSubject(kind: RemovalKind): string {
  return `removal.${kind}`
}

/**
 * Makes the stream, or leaves it as it is. Every service that says or hears what is to be forgotten calls this, so that the
 * order of starts does not matter.
 * @param replicas how many NATS servers hold each removal: 1 on one machine, 3 on a cluster
 */
export async function ensureRemovalStream(connection: NatsConnection, replicas: number): Promise<void> {
  await ensureStream(connection, {
    name: REMOVAL_STREAM,
    subjects: ['removal.>'],
    retention: RetentionPolicy.Limits,
    storage: StorageType.File,
    max_age: nanos(KEPT_MS),
    num_replicas: replicas,
  })
}
