import { daysBetween, monthName } from '../shell/moment.ts'
import type { ReaderClock } from '../shell/reader-clock.ts'

export type Group<Item> = { name: string; items: Item[] }

/**
 * Sorts what is newest first under Today, Yesterday, This week, and then months, by the reader's days.
 * @param timeOf undefined for what has no time; it goes to the bottom
 */
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
  if (moment === undefined) return 'Some time ago'
  const days = daysBetween(moment, clock.now, clock)
  if (days <= 0) return 'Today'
  if (days === 1) return 'Yesterday'
  return days < 7 ? 'This week' : monthName(moment, clock)
}
