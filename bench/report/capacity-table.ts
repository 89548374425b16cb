import type { Reached } from '../capacity/limits.ts'
import type { Plan } from '../capacity/plan.ts'
import type { Limit } from '../capacity/system.ts'
import { table } from '../measure/table.ts'

const WORDS: Readonly<Record<Limit, string>> = {
  disk: 'the disk of the replica set is full after a year',
  burst: 'calls on the hour come before the autoscaler adds replicas',
  replicas: 'a service has as many replicas as the autoscaler may add',
  mongod: 'the processors of MongoDB',
  digests: 'the morning’s digests take more than an hour',
  sending: 'mail waits more than ten minutes to be sent',
  streams: 'events or mail come faster than a NATS server and its stream take them',
}

export function planTable(plans: readonly Plan[]): string {
  return `\nWhat they need: peaks in a second, TB after a year, US dollars a month\n${table(planRows(plans))}`
}

export function limitTable(title: string, reached: readonly Reached[]): string {
  return `\n${title}\n${table([['limit', 'families'], ...limitRows(reached)])}`
}

/** The first cell of a row is its name. docs/capacity.md has the same. */
export function planRows(plans: readonly Plan[]): string[][] {
  const row = (name: string, of: (plan: Plan) => string) => [name, ...plans.map(of)]
  const total = ({ money }: Plan) => Object.values(money).reduce((sum, part) => sum + part, 0)
  return [
    row('families', ({ families }) => short(families)),
    row('calls', ({ peaks }) => short(peaks.call)),
    row('pages', ({ peaks }) => short(peaks.page)),
    row('mails', ({ peaks }) => short(peaks.mail)),
    row('notifications', ({ peaks }) => short(peaks.notification)),
    row('events', ({ peaks }) => short(peaks.event)),
    row('processors busy in services', ({ serviceCores }) => short(serviceCores)),
    row('processors busy in MongoDB', ({ mongodCores }) => short(mongodCores)),
    row('processors to rent', ({ vcpus }) => short(vcpus.services + vcpus.mongod + vcpus.nats)),
    row('TB in MongoDB, one copy', ({ storedBytes }) => short(storedBytes / 1e12)),
    row('replica sets', ({ shards }) => short(shards)),
    ...(['processors', 'disks', 'backups', 'mail', 'traffic'] as const).map((part) =>
      row(`$ ${part}`, ({ money }) => short(money[part])),
    ),
    row('$ in all', (plan) => short(total(plan))),
    row('$ a family', (plan) => (total(plan) / plan.families).toFixed(2)),
  ]
}

export function limitRows(reached: readonly Reached[]): string[][] {
  return reached.map(({ limit, families }) => [WORDS[limit], short(families)])
}

/** Two digits are more than the assumptions are worth. */
function short(value: number): string {
  if (value === 0) return '0'
  const digits = Math.max(0, 1 - Math.floor(Math.log10(Math.abs(value))))
  const rounded = Number(value.toPrecision(2))
  return value < 10 ? rounded.toFixed(Math.min(digits, 4)) : rounded.toLocaleString('en-US')
}
