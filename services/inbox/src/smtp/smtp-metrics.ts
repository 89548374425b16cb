import { count, durations } from '@family-inbox/service-kit/observability/metrics'
import { isRefusal } from './refusals.ts'

const seconds = durations({
  name: 'mail_received_seconds',
  help: 'Mails taken over SMTP, from DATA to the answer, by the code they were answered with.',
  labels: ['code'],
})

/** Measures a mail from DATA to its reply. */
export async function observeReceived(work: Promise<void>): Promise<void> {
  const startedAt = performance.now()
  const observe = (code: number) => seconds.observe({ code: `${code}` }, (performance.now() - startedAt) / 1000)
  try {
    await work
    observe(250)
  } catch (error) {
    observe(isRefusal(error) ? error.responseCode : 451)
    throw error
  }
}

export const overLimit = count({
  name: 'mail_over_limit_total',
  help: 'Mails to families that were asked to come back, by the limit that was reached.',
  labels: ['limit'] as const,
})

export const returnedMail = count({
  name: 'mail_own_returned_total',
  help: 'Mails of our own that came back to the family they were sent for, and were not taken in again.',
  labels: [] as const,
})
