import { daysBetween, monthName } from '../shell/moment.ts'
import type { ReaderClock } from '../shell/reader-clock.ts'

export type Group<Item> = { name: string; items: Item[] }

/** Groups items, newest first, into Today, Yesterday, This week, and months of the reader's time zone. */
export function groupByTime<Item>(
  items: readonly Item[],
  timeOf: (item: Item) => Date | undefined,
  clock: ReaderClock,
): Group<Item>[] {
  const groups: Group<Item>[] = []
  for (const item of items) {
    const name = nameOf(timeOf(item), clock)
    const last = groups.at(-1)
    if (last?.name === name) last.items.push(item)
    else groups.push({ name, items: [item] })
  }
  return groups
}

function nameOf(moment: Date | undefined, clock: ReaderClock): string {
  if (moment === undefined) return 'No date'
  const days = daysBetween(moment, clock.now, clock)
  if (days <= 0) return 'Today'
  if (days === 1) return 'Yesterday'
  return days < 7 ? 'This week' : monthName(moment, clock)
}
