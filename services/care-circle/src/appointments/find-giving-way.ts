/** An appointment that is still ahead. */
export type Ahead = {
  id: string
  /** Whoever shares an allowance: an address, or all of one domain. */
  sender: string
  /** When its next occurrence starts. */
  nextAt: Date
  /** Somebody goes to it, so it stays. */
  isKept: boolean
}

/**
 * Which of these gives way when one must: the farthest of the sender with the most, so that whoever fills a calendar takes from
 * nobody else. Of senders with as many, the farthest of all.
 */
export function findGivingWay(rows: Ahead[]): Ahead | undefined {
  const countOf = new Map<string, number>()
  for (const { sender } of rows) countOf.set(sender, (countOf.get(sender) ?? 0) + 1)
  const fullness = ({ sender }: Ahead) => countOf.get(sender) ?? 0
  const [first] = rows
    .filter(({ isKept }) => !isKept)
    .toSorted((a, b) => fullness(b) - fullness(a) || b.nextAt.getTime() - a.nextAt.getTime())
  return first
}
