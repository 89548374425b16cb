// What one piece of work costs, as `npm run bench -- costs` measured it. docs/capacity.md says on what machine.

/** `stored` is in bytes, with indexes, before compression. */
export const COSTS = {
  /** Half lists, half messages. */
  call: {
    us: { gateway: 4000, auth: 3700, 'care-circle': 2200, inbox: 3100, mongod: 4000 },
    stored: 600,
  },
  /** Half the inbox, half a message. */
  page: {
    us: {
      ...{ gateway: 1700, auth: 7100, 'care-circle': 13_600, inbox: 18_600, site: 13_600, pipe: 1800 },
      ...{ 'nats-server': 600, mongod: 18_800 },
    },
    stored: 0,
  },
  mail: { us: { inbox: 10_500, 'nats-server': 300, mongod: 7700 }, stored: 29_000 },
  /** Written, queued and handed over. */
  notification: { us: { inbox: 9400, 'care-circle': 2700, 'nats-server': 2200, mongod: 6800 }, stored: 1400 },
  event: {
    us: { gateway: 1100, 'care-circle': 1600, pipe: 3200, 'nats-server': 800, mongod: 1800 },
    stored: 1060,
  },
} as const satisfies Record<string, { us: Partial<Record<Part, number>>; stored: number }>

export const SERVICES = ['gateway', 'auth', 'care-circle', 'inbox', 'pipe', 'site'] as const
export type Service = (typeof SERVICES)[number]
/** What uses processors. */
export type Part = Service | 'nats-server' | 'mongod'
export type Work = keyof typeof COSTS
export const WORKS = Object.keys(COSTS) as Work[]

/** Seconds of a processor of one part, for one piece of work. */
export function costOf(work: Work, part: Part): number {
  const { us }: { us: Partial<Record<Part, number>> } = COSTS[work]
  return (us[part] ?? 0) / 1e6
}

/** Notifications that one replica writes in a second: one after another. Measured, too. */
export const NOTIFICATIONS_PER_REPLICA = 23
/** Mail that one replica hands over in a second: eight at a time, each in 0.3 s at a provider far away (assumed). */
export const SENT_PER_REPLICA = 8 / 0.3
/** Messages that one stream takes in a second, each on disk before its answer. */
export const STREAM_PER_SECOND = 4000
