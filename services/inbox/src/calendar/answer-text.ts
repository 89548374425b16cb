import type { CalendarRequest } from './read-requests.ts'

/** For a reader whose program ignores the calendar part. */
export function answerText({ title, startWords }: CalendarRequest, coming: boolean): string {
  const answer = coming ? 'We are coming' : 'We cannot come'
  const what = title === '' ? 'your appointment' : `“${title}”`
  return startWords === '' ? `${answer} to all dates of ${what}.` : `${answer} to ${what} on ${startWords}.`
}
