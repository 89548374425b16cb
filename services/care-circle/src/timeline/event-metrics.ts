import { count, durations, gauge } from '@family-inbox/service-kit/observability/metrics'
import { CARE_EVENT_CONSUMER, CARE_EVENT_STREAM } from '@family-inbox/workspace-kit/care-events'
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
})

export function observeStored(receivedAt: Date): void {
  events.inc({ outcome: 'stored' })
  seconds.observe((Date.now() - receivedAt.getTime()) / 1000)
}

export function observeNotStored(outcome: 'dropped' | 'dead_letter'): void {
  events.inc({ outcome })
}

export function watchEventQueue({ eventStream }: Context): void {
  gauge('care_events_waiting', 'Messages with accepted events that are not on a timeline yet.', async () => {
    const nats = await eventStream.connection
    const manager = await nats.jetstreamManager({ timeout: 1000 })
    const { num_pending, num_ack_pending } = await manager.consumers.info(CARE_EVENT_STREAM, CARE_EVENT_CONSUMER)
    return num_pending + num_ack_pending
  })
}
