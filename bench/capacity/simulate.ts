import { type Replicas, startAutoscaler } from './autoscaler.ts'
import { type Part, SERVICES, type Service, type Work } from './costs.ts'
import { arrivalsAt, MINUTES } from './family-day.ts'
import { startQueue } from './queue.ts'
import { storedInYear } from './storage.ts'
import { CORES_PER_REPLICA, coresFor, type Limit, type System } from './system.ts'

/** How a day went. */
export type Day = {
  /** Calls and pages that were answered 503, as a share of the day's. */
  refused: number
  /** What had too little in the worst minute, and whether the autoscaler was at its limit then. */
  refusedBy?: Part | undefined
  wasLargest: boolean
  /** The longest that one waited, in minutes. */
  waited: { event: number; notification: number; mail: number }
  /** The mail waited for its stream, and not for those who send it. */
  waitedForStream: boolean
  /** Of the disk, after a year. */
  diskShare: number
}

/** The goals: what a day must not exceed. Reading a mail that was sent is not urgent; an event is. */
const MOST_REFUSED = 0.001
const MOST_MINUTES = { event: 1, notification: 60, mail: 10 }

/** The autoscaler has found its level by then. */
const WARM_UP_MINUTES = 60

/** A day in steps of a minute, after the last hour of another like it. */
export function simulateDay(families: number, system: System): Day {
  const scaler = startAutoscaler(system)
  const [events, notifications, mails] = [startQueue(), startQueue(), startQueue()]
  const refusals = countRefusals(system)
  const streams = system.partitions * system.streamPerSecond
  let waitedForStream = false
  for (let minute = MINUTES - WARM_UP_MINUTES; minute < 2 * MINUTES; minute += 1) {
    const arrived = arrivalsAt(minute % MINUTES, families)
    const { replicas } = scaler
    // People, assistants and senders first: what waits in queues gets what is left.
    const asked = {
      call: arrived.call / 60,
      page: arrived.page / 60,
      mail: arrived.mail / 60,
      event: arrived.event / 60,
    }
    const served = shareServed(asked, replicas, system)
    if (minute >= MINUTES) refusals.add(asked.call + asked.page, served, replicas)
    events.step(minute, arrived.event * served.share, 60 * streams)
    const written = notifications.step(
      minute,
      arrived.notification,
      60 * writersFor(asked, served.share, replicas, system),
    )
    const senders = replicas.inbox * system.sentPerReplica
    if (mails.step(minute, written, 60 * Math.min(senders, streams)) < written) waitedForStream = streams < senders
    scaler.next({ ...asked, notification: written / 60 })
  }
  const waited = { event: events.longest, notification: notifications.longest, mail: mails.longest }
  return {
    ...refusals.result(),
    waited,
    waitedForStream,
    diskShare: storedInYear(families, system) / (system.diskBytes * system.shards),
  }
}

/** The goal that a day missed; undefined if it met all. */
export function missedGoal({
  refused,
  refusedBy,
  wasLargest,
  waited,
  waitedForStream,
  diskShare,
}: Day): Limit | undefined {
  if (diskShare > 1) return 'disk'
  if (refused > MOST_REFUSED) {
    if (refusedBy === 'mongod') return 'mongod'
    if (refusedBy === 'nats-server') return 'streams'
    return wasLargest ? 'replicas' : 'burst'
  }
  if (waited.event > MOST_MINUTES.event) return 'streams'
  if (waited.notification > MOST_MINUTES.notification) return 'digests'
  if (waited.mail <= MOST_MINUTES.mail) return undefined
  return waitedForStream ? 'streams' : 'sending'
}

type Rates = Partial<Record<Work, number>>
type Served = { share: number; part?: Part }

/** The part that is shortest of processors decides how much is done. The rest gets 503. */
function shareServed(perSecond: Rates, replicas: Replicas, system: System): Served {
  let least: Served = { share: 1 }
  for (const part of [...SERVICES, 'nats-server', 'mongod'] as const) {
    const share = capacityOf(part, replicas, system) / coresFor(perSecond, part)
    if (share < least.share) least = { share, part }
  }
  return least
}

function capacityOf(part: Part, replicas: Replicas, system: System): number {
  if (part === 'mongod') return system.shards * system.mongodCores
  return isService(part) ? replicas[part] * CORES_PER_REPLICA : system.natsCores
}

/** Notifications that can be written in a second, with the processors that are left. */
function writersFor(perSecond: Rates, share: number, replicas: Replicas, system: System): number {
  const parts = ['inbox', 'mongod'] as const
  const spare = parts.map((part) => {
    const left = capacityOf(part, replicas, system) - share * coresFor(perSecond, part)
    return Math.max(0, left) / coresFor({ notification: 1 }, part)
  })
  return Math.min(replicas.inbox * system.notificationsPerReplica, ...spare)
}

function countRefusals({ maxReplicas }: System) {
  const total = { asked: 0, refused: 0 }
  let worst: Served & { wasLargest: boolean } = { share: 1, wasLargest: false }
  return {
    add(asked: number, { share, part }: Served, replicas: Replicas) {
      total.asked += asked
      total.refused += (1 - share) * asked
      if (share < worst.share)
        worst = { share, ...(part && { part }), wasLargest: isService(part) && replicas[part] >= maxReplicas }
    },
    result: () => ({
      refused: total.asked === 0 ? 0 : total.refused / total.asked,
      refusedBy: worst.part,
      wasLargest: worst.wasLargest,
    }),
  }
}

function isService(part: Part | undefined): part is Service {
  return part !== undefined && (SERVICES as readonly string[]).includes(part)
}
