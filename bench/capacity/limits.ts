import { type Part, SERVICES } from './costs.ts'
import { DIGESTS, PER_DAY, peakPerSecond } from './family-day.ts'
import { missedGoal, simulateDay } from './simulate.ts'
import { storedInYear } from './storage.ts'
import { CORES_PER_REPLICA, coresFor, type Limit, REMEDIES, type System } from './system.ts'

export type Reached = { readonly limit: Limit; readonly families: number }

const MOST_FAMILIES = 1e9

/** By calculation: what there is, divided by what a family takes of it at the busiest moment. The first one first. */
export function calculateLimits(system: System): Reached[] {
  const { maxReplicas, minReplicas, shards, mongodCores, diskBytes, partitions, streamPerSecond, natsCores } = system
  const busiest = (part: Part, of: 'ofHour' | 'ofMinute') => {
    const rate = (work: 'call' | 'page' | 'mail' | 'event') => peakPerSecond(work, 1)[of]
    return coresFor({ call: rate('call'), page: rate('page'), mail: rate('mail'), event: rate('event') }, part)
  }
  const largest = Math.max(...SERVICES.map((service) => busiest(service, 'ofMinute')))
  const streamsFor = (partitions * streamPerSecond) / peakPerSecond('event', 1).ofMinute
  const digestsInGoal = 3600 * maxReplicas * system.notificationsPerReplica
  const all: Reached[] = [
    { limit: 'disk', families: (diskBytes * shards) / storedInYear(1, system) },
    { limit: 'replicas', families: (maxReplicas * CORES_PER_REPLICA) / largest },
    { limit: 'burst', families: (minReplicas * CORES_PER_REPLICA) / largest },
    { limit: 'mongod', families: (shards * mongodCores) / busiest('mongod', 'ofMinute') },
    { limit: 'digests', families: digestsInGoal / (PER_DAY.notification * DIGESTS) },
    { limit: 'sending', families: (maxReplicas * system.sentPerReplica) / peakPerSecond('notification', 1).ofHour },
    { limit: 'streams', families: Math.min(streamsFor, natsCores / busiest('nats-server', 'ofMinute')) },
  ]
  return all.sort((one, other) => one.families - other.families)
}

/** By simulation: the first limits, each after what is done at the one before. */
export function simulateLimits(system: System, count: number): Reached[] {
  const reached: Reached[] = []
  for (let remedied = system; reached.length < count; ) {
    const first = firstLimit(remedied)
    if (first === undefined) break
    reached.push(first)
    remedied = REMEDIES[first.limit](remedied)
  }
  return reached
}

/** The fewest families with which a day misses a goal, to within a hundredth. */
export function firstLimit(system: System): Reached | undefined {
  let [fine, tooMany] = [1, MOST_FAMILIES]
  let limit = missedGoal(simulateDay(tooMany, system))
  if (limit === undefined) return undefined
  while (tooMany / fine > 1.01) {
    const families = Math.sqrt(fine * tooMany)
    const missed = missedGoal(simulateDay(families, system))
    if (missed === undefined) fine = families
    else [tooMany, limit] = [families, missed]
  }
  return { limit, families: Math.round(tooMany) }
}
