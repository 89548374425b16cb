import { invalidArgument } from '@family-inbox/service-kit/rpc/status-error'
import { requireLine } from '@family-inbox/service-kit/rpc/text-rules'
import { startOfDay } from '@family-inbox/service-kit/time/calendar-day'
import type { ToDo } from '../models/to-do.ts'

/** @throws StatusError INVALID_ARGUMENT naming the field */
export function readToDoForm({ text, day }: { text: string; day: string }): Pick<ToDo, 'text' | 'day'> {
  const line = requireLine('text', text, 200)
  if (day === '') return { text: line }
  const year = startOfDay(day, { timeZone: 'UTC' })?.getUTCFullYear() ?? 0
  if (year < 1970 || year >= 9000) throw invalidArgument('day', 'day must be a day such as 2026-05-12, or empty.')
  return { text: line, day }
}
