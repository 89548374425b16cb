import { DAY_MS } from './days.ts'
import type { TimelineEvent } from './event.ts'
import { minutesInWords } from './sentence.ts'

/** "2 days", when we heard of it that long after it happened; undefined when we heard within a day, as agencies often send at night. */
export function latenessOf({ occurredAt, receivedAt }: TimelineEvent): string | undefined {
  const late = receivedAt.getTime() - occurredAt.getTime()
  return late > DAY_MS ? minutesInWords(late / 60_000) : undefined
}
