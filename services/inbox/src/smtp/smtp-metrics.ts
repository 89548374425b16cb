import { count, durations } from '@family-inbox/service-kit/observability/metrics'
import { isRefusal } from './refusals.ts'

const seconds = durations({
  name: 'mail_received_seconds',
  help: 'Seconds from DATA to the reply, by SMTP reply code.',
  labels: ['code'],
})

export const overLimit = count({
  name: 'mail_over_limit_total',
  help: 'Mails deferred because of a limit, by limit.',
  labels: ['limit'] as const,
})
export const returnedMail = count({
  name: 'mail_own_returned_total',
  help: 'Our own mails that a rule forwarded back to the same family; accepted but not stored.',
  labels: [] as const,
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
