import { rowSchema } from '@family-inbox/workspace-kit/row-schema'
import type { Connection } from 'mongoose'
import type { Appointment } from './appointment.ts'

/** Events of one mail that are not in the calendar, so that its page says so. */
export type UntakenEvents = {
  _id: string
  workspaceId: string
  lovedOneId: string
  /** The appointments that they would be. */
  events: EventName[]
  /** When a member removed what this mail planned. The same mail does not plan it again. */
  removedAt?: Date
  /** When the last of them is over. */
  expiresAt: Date
}

export type EventName = Pick<Appointment, 'uidHash' | 'owner'>

const schema = rowSchema<UntakenEvents>(
  'untaken_events',
  {
    _id: String,
    workspaceId: String,
    lovedOneId: String,
    events: [{ _id: false, uidHash: String, owner: String }],
    removedAt: Date,
    expiresAt: Date,
  },
  { workspaceId: 'field' },
  { shardKey: { workspaceId: 1 } },
)
schema.index({ workspaceId: 1, 'events.uidHash': 1 })
schema.index({ expiresAt: 1 }, { expireAfterSeconds: 0 })

export function untakenEventsModel(connection: Connection) {
  return connection.model('UntakenEvents', schema)
}

export function untakenEventsId(
  { workspaceId, lovedOneId }: Pick<Appointment, 'workspaceId' | 'lovedOneId'>,
  messageId: string,
): string {
  return `${workspaceId}/${lovedOneId}/${messageId}`
}
