import type { ConversationStatus } from '../models/conversation-status.ts'

/** The state of conversations that turn out to be one: whoever takes care of one takes care of all, and open work stays open. */
export function mergeStatuses(rows: readonly ConversationStatus[]): ConversationStatus | undefined {
  const rank = ({ status }: ConversationStatus) => ['taken', 'open', 'done', 'not_needed'].indexOf(status)
  const [first] = rows.toSorted(
    (a, b) => Math.min(rank(a), 2) - Math.min(rank(b), 2) || later(a.changedAt, b.changedAt),
  )
  if (first === undefined) return undefined
  const handedOver = rows.find((row) => row.handedOver)?.handedOver
  return {
    ...first,
    mailAt: new Date(Math.max(...rows.map(({ mailAt }) => mailAt.getTime()))),
    version: Math.max(...rows.map(({ version }) => version)) + 1,
    ...(handedOver && { handedOver }),
  }
}

function later(one: Date, other: Date): number {
  return other.getTime() - one.getTime()
}
