import { createHash } from 'node:crypto'
import { CalendarChange } from '@family-inbox/proto/calendar/v1/calendar_change'
import { newId } from '@family-inbox/service-kit/ids/ids'
import type { NatsConnection } from '@family-inbox/service-kit/nats/client'
import { openDurableStream } from '@family-inbox/service-kit/nats/durable-stream'
import { ensureWorkQueue, type NatsAccess } from '@family-inbox/service-kit/nats/nats'
import type { Logger } from '@family-inbox/service-kit/observability/logger'

export type CalendarChangeQueue = AsyncDisposable & {
  connection: Promise<NatsConnection>
  /** Resolves when the change is on disk. Throws within 1.5 s when NATS is down; retry, repeated changes have no effect. */
  publish(change: CalendarChange): Promise<void>
}

export function openCalendarChangeQueue(
  config: NatsAccess & { natsReplicas: number },
  logger: Logger,
): CalendarChangeQueue {
  const stream = openDurableStream(config, (nats) => ensureCalendarChangeStream(nats, config.natsReplicas), logger)
  return {
    connection: stream.connection,
    async publish(change) {
      // A new id each time: after a loss the stream may still know the id of the message that it lost.
      await stream.publish(CALENDAR_CHANGE_SUBJECT, newId('cal'), CalendarChange.encode(change).finish())
    },
    [Symbol.asyncDispose]: () => stream[Symbol.asyncDispose](),
  }
}

export const CALENDAR_CHANGE_STREAM = 'CALENDAR_CHANGES'
export const CALENDAR_CHANGE_SUBJECTS = 'calendar.changes.>'
export const CALENDAR_CHANGE_SUBJECT = 'calendar.changes.mail'
export const CALENDAR_CHANGE_CONSUMER = 'care-appointments'

export function ensureCalendarChangeStream(connection: NatsConnection, replicas: number): Promise<void> {
  return ensureWorkQueue(connection, { name: CALENDAR_CHANGE_STREAM, subjects: CALENDAR_CHANGE_SUBJECTS, replicas })
}

/** Names an occurrence of a series by its original start, so the name stays when it is moved. */
export function occurrenceKey(recurrenceId: Date): string {
  return recurrenceId.toISOString().replaceAll(/[-:]|\.000/g, '')
}

/** A whole day, or what clocks at the place show, of a time that is written as if in UTC. */
export function toLocalTime(at: Date, kind: 'day' | 'local'): string {
  return at.toISOString().slice(0, kind === 'day' ? 10 : 16)
}

/** Hashes a mail's UID, which can be anything. */
export function hashUid(uid: string): string {
  return createHash('sha256').update(uid).digest('hex')
}
