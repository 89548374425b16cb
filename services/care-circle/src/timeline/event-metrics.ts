import { count, durations, gauge } from '@family-inbox/service-kit/observability/metrics'
import { CARE_EVENT_CONSUMER, CARE_EVENT_STREAM } from '@family-inbox/workspace-kit/care-events'
import type { Context } from '../context.ts'

const seconds = durations({
  name: 'event_to_timeline_seconds',
  help: 'From the acceptance of an event to its place on a timeline.',
  labels: [],
})

const events = count({
  name: 'care_events_total',
  help: 'Accepted events, by what became of them: placed, dropped for want of consent, or dead.',
  labels: ['fate'],
})

/** @param receivedAt when the event was accepted */
export function observePlaced(receivedAt: Date): void {
  events.inc({ fate: 'placed' })
  seconds.observe((Date.now() - receivedAt.getTime()) / 1000)
}

export function observeUnseen(fate: 'dropped' | 'dead'): void {
  events.inc({ fate })
}

/** Reports how many accepted events wait, retries included. */
export function watchEventQueue({ eventStream }: Context): void {
  gauge('care_events_waiting', 'Messages of accepted events that wait for their place on a timeline.', async () => {
    const nats = await eventStream.connection
    const manager = await nats.jetstreamManager({ timeout: 1000 })
    const { num_pending, num_ack_pending } = await manager.consumers.info(CARE_EVENT_STREAM, CARE_EVENT_CONSUMER)
    return num_pending + num_ack_pending
  })
}
