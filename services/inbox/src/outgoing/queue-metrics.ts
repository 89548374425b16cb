import { count, gauge } from '@family-inbox/service-kit/observability/metrics'
import { MAIL_STREAM } from '@family-inbox/workspace-kit/outgoing-mail'
import type { Context } from '../context.ts'

export const mailsSent = count({
  name: 'mail_sent_total',
  help: 'Attempts to send mail, by result: sent, failed, queued (will retry) or unknown.',
  labels: ['state'],
})

export function watchMailQueue({ mailQueue }: Context): void {
  const stateOf = async () => {
    const nats = await mailQueue.connection
    const manager = await nats.jetstreamManager({ timeout: 1000 })
    return (await manager.streams.info(MAIL_STREAM)).state
  }
  gauge('mail_queue_waiting', 'Outgoing mails waiting to be sent.', async () => (await stateOf()).messages)
  gauge('mail_queue_oldest_seconds', 'Age of the oldest mail waiting to be sent.', async () => {
    const { messages, first_ts } = await stateOf()
    return messages === 0 ? 0 : (Date.now() - Date.parse(first_ts)) / 1000
  })
}
