import { durations } from '@family-inbox/service-kit/metrics'
import { isRefusal } from './refusals.ts'

const seconds = durations({
  name: 'mail_received_seconds',
  help: 'Mails taken over SMTP, from DATA to the answer, by the code they were answered with.',
  labels: ['code'],
})

/** Counts a mail by how its storing ends. */
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
