import { type Part, SERVICES, type Work } from './costs.ts'
import { arrivalsAt, MINUTES, PER_DAY, peakPerSecond } from './family-day.ts'
import { DISK_GB_A_MONTH, MAIL_SENT, OBJECT_GB_A_MONTH, TRAFFIC_GB, VCPU_A_MONTH } from './prices.ts'
import { filesInYear, storedInYear } from './storage.ts'
import { AS_DELIVERED, coresFor } from './system.ts'

/** How busy processors are planned to be at the busiest minute. */
const BUSY = 0.7
/** Two replicas of each service at their request, which is 0.1 or 0.2 of a processor. */
const LEAST_SERVICE_CORES = 2
/** Members of a replica set, and NATS servers. */
const COPIES = 3
/** The smallest server that a store gets, and the one of a large installation. */
const [SMALL_SERVER, LARGE_SERVER] = [2, 16]
/** Bytes that leave for a call and a page, compressed. */
const SENT_BYTES = { call: 3000, page: 20_000 }
const DAYS_A_MONTH = 30

export type Plan = {
  families: number
  /** In a second, at the busiest minute; of mail and notifications in the busiest hour. */
  peaks: Record<Work, number>
  serviceCores: number
  mongodCores: number
  /** After a year, of one copy. */
  storedBytes: number
  filesBytes: number
  shards: number
  /** Virtual processors to rent. */
  vcpus: { services: number; mongod: number; nats: number }
  /** US dollars a month, after a year. */
  money: Record<'processors' | 'disks' | 'backups' | 'mail' | 'traffic', number>
}

/** What so many families need. `filesElsewhere`: attached files are in object storage, once, and not in MongoDB. */
export function planFor(families: number, filesElsewhere = false): Plan {
  const storedBytes = storedInYear(families, { storesFilesElsewhere: filesElsewhere })
  const filesBytes = filesInYear(families)
  const serviceCores = SERVICES.reduce((sum, service) => sum + busiestCores(service, families), 0)
  const mongodCores = busiestCores('mongod', families)
  const shards = Math.max(
    1,
    Math.ceil(storedBytes / AS_DELIVERED.diskBytes),
    Math.ceil(mongodCores / AS_DELIVERED.mongodCores),
  )
  const server = mongodCores / BUSY > SMALL_SERVER || shards > 1 ? LARGE_SERVER : SMALL_SERVER
  const vcpus = {
    services: Math.ceil(Math.max(LEAST_SERVICE_CORES, serviceCores / BUSY)),
    mongod: shards * COPIES * server,
    nats: COPIES * Math.max(1, Math.ceil(busiestCores('nats-server', families) / BUSY)),
  }
  return {
    families,
    peaks: peaksOf(families),
    ...{ serviceCores, mongodCores, storedBytes, filesBytes, shards, vcpus },
    money: {
      processors: (vcpus.services + vcpus.mongod + vcpus.nats) * VCPU_A_MONTH,
      disks: COPIES * gigabytes(storedBytes) * DISK_GB_A_MONTH,
      backups: gigabytes(storedBytes + (filesElsewhere ? filesBytes : 0)) * OBJECT_GB_A_MONTH,
      mail: families * PER_DAY.notification * DAYS_A_MONTH * MAIL_SENT,
      traffic: trafficOf(families) * TRAFFIC_GB,
    },
  }
}

function peaksOf(families: number): Record<Work, number> {
  const peak = (work: Work) => peakPerSecond(work, families)
  return {
    call: peak('call').ofMinute,
    page: peak('page').ofMinute,
    mail: peak('mail').ofHour,
    notification: peak('notification').ofHour,
    event: peak('event').ofMinute,
  }
}

/** Processors that a part needs in its busiest minute, but for notifications, which wait. */
function busiestCores(part: Part, families: number): number {
  const minutes = Array.from({ length: MINUTES }, (_, minute) => {
    const { notification: _waits, ...others } = arrivalsAt(minute, families)
    return coresFor(Object.fromEntries(Object.entries(others).map(([work, count]) => [work, count / 60])), part)
  })
  return Math.max(...minutes)
}

/** GB in a month. */
function trafficOf(families: number): number {
  const { call, page } = SENT_BYTES
  return gigabytes(families * DAYS_A_MONTH * (PER_DAY.call * call + PER_DAY.page * page))
}

function gigabytes(bytes: number): number {
  return bytes / 1e9
}
