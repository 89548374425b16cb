import { count, durations, gauge } from '@family-inbox/service-kit/observability/metrics'
import { CARE_EVENT_STREAM } from '@family-inbox/workspace-kit/care-events'
import type { Context } from '../context.ts'

const seconds = durations({
  name: 'event_to_timeline_seconds',
  help: 'Time from accepting an event to storing it on a timeline.',
  labels: [],
})

const events = count({
  name: 'care_events_total',
  help: 'Accepted events by outcome: stored, dropped without consent, or dead letter.',
  labels: ['outcome'],
  zero: [{ outcome: 'stored' }, { outcome: 'dropped' }, { outcome: 'dead_letter' }],
})

export function observeStored(receivedAt: Date): void {
  events.inc({ outcome: 'stored' })
  seconds.observe((Date.now() - receivedAt.getTime()) / 1000)
}

export function observeNotStored(outcome: 'dropped' | 'dead_letter'): void {
  events.inc({ outcome })
}

/** From the stream: a consumer with damaged files is gone, while its messages wait. */
export function watchEventQueue({ eventStream }: Context): void {
  const stateOf = async () => {
    const nats = await eventStream.connection
    const manager = await nats.jetstreamManager({ timeout: 1000 })
    return (await manager.streams.info(CARE_EVENT_STREAM)).state
  }
  gauge(
    'care_events_waiting',
    'Messages with accepted events that are not on a timeline yet.',
    async () => (await stateOf()).messages,
  )
  gauge('care_events_oldest_seconds', 'Age of the oldest message with accepted events that waits.', async () => {
    const { messages, first_ts } = await stateOf()
    return messages === 0 ? 0 : (Date.now() - Date.parse(first_ts)) / 1000
  })
}
