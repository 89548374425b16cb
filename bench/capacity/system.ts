import { costOf, NOTIFICATIONS_PER_REPLICA, SENT_PER_REPLICA, STREAM_PER_SECOND } from './costs.ts'

/** What an installation has. */
export type System = {
  readonly minReplicas: number
  /** The autoscaler's limit, for each service. */
  readonly maxReplicas: number
  /** Replica sets of MongoDB, each with so many processors for queries in its primary. */
  readonly shards: number
  readonly mongodCores: number
  /** What the disk of a member holds, and can be restored in a working day. */
  readonly diskBytes: number
  readonly storesFilesElsewhere: boolean
  readonly notificationsPerReplica: number
  readonly sentPerReplica: number
  /** Streams that share the events, and the mail that goes out. */
  readonly partitions: number
  readonly streamPerSecond: number
  readonly natsCores: number
}

/** The manifests as they are, and one replica set on servers of 16 processors. */
export const AS_DELIVERED: System = {
  minReplicas: 2,
  maxReplicas: 10,
  shards: 1,
  mongodCores: 11,
  diskBytes: 4e12,
  storesFilesElsewhere: false,
  notificationsPerReplica: NOTIFICATIONS_PER_REPLICA,
  sentPerReplica: SENT_PER_REPLICA,
  partitions: 1,
  streamPerSecond: STREAM_PER_SECOND,
  natsCores: 2,
}

/** What can be the limit. */
export type Limit = 'disk' | 'replicas' | 'burst' | 'mongod' | 'digests' | 'sending' | 'streams'

/** What is done at each. */
export const REMEDIES: Readonly<Record<Limit, (system: System) => System>> = {
  disk: (system) => ({ ...system, diskBytes: Number.POSITIVE_INFINITY, storesFilesElsewhere: true }),
  replicas: (system) => ({ ...system, maxReplicas: 10 * system.maxReplicas }),
  burst: (system) => ({
    ...system,
    minReplicas: 10 * system.minReplicas,
    maxReplicas: Math.max(system.maxReplicas, 10 * system.minReplicas),
  }),
  mongod: (system) => ({ ...system, shards: 10 * system.shards }),
  digests: (system) => ({ ...system, notificationsPerReplica: 10 * system.notificationsPerReplica }),
  sending: (system) => ({ ...system, sentPerReplica: 10 * system.sentPerReplica }),
  streams: (system) => ({ ...system, partitions: 10 * system.partitions, natsCores: 10 * system.natsCores }),
}

/** The autoscaler adds a replica above this much of a processor in each. */
export const TARGET_CORES = 0.4
/** A Node.js process computes on one processor. */
export const CORES_PER_REPLICA = 1

/** Processors that the work of one second takes. */
export function coresFor(
  perSecond: Readonly<Partial<Record<Parameters<typeof costOf>[0], number>>>,
  part: Parameters<typeof costOf>[1],
): number {
  return Object.entries(perSecond).reduce((cores, [work, rate]) => cores + rate * costOf(work as never, part), 0)
}
