import { createHash } from 'node:crypto'
import { rowSchema } from '@family-inbox/workspace-kit/row-schema'
import type { Connection } from 'mongoose'

export type Reminder = {
  _id: string
  workspaceId: string
  lovedOneId: string
  messageRowId: string
  /** The member who set it. */
  personId: string
  name: string
  /** `YYYY-MM-DD` */
  day: string
  /** For members whose time zone is unknown. */
  timeZone: string
  onlyIfUnanswered: boolean
  createdAt: Date
  /** When the first morning of the day begins on earth. Removed once it is in the members' notice lists. */
  dueAt?: Date
  keptUntil: Date
}

const schema = rowSchema<Reminder>(
  'reminders',
  {
    _id: String,
    workspaceId: String,
    lovedOneId: String,
    messageRowId: String,
    personId: String,
    name: String,
    day: String,
    timeZone: String,
    onlyIfUnanswered: Boolean,
    createdAt: Date,
    dueAt: Date,
    keptUntil: Date,
  },
  { workspaceId: 'field', messageRowId: 'field', personId: 'kept' },
  { shardKey: { workspaceId: 1 } },
)
schema.index({ messageRowId: 1, day: 1 })
schema.index({ workspaceId: 1, createdAt: 1 })
schema.index({ dueAt: 1 }, { sparse: true })
schema.index({ keptUntil: 1 }, { expireAfterSeconds: 0 })

export function reminderModel(connection: Connection) {
  return connection.model('Reminder', schema)
}

/** The id of a reminder’s notices. A reminder that is set again after it ended has new ones. */
export function reminderNoticeId({ _id, createdAt }: Pick<Reminder, '_id' | 'createdAt'>): string {
  return `reminder/${_id}/${createdAt.getTime()}`
}

/** The same for every member who sets it for a message and a day. */
export function reminderId({
  messageRowId,
  day,
  onlyIfUnanswered,
}: Pick<Reminder, 'messageRowId' | 'day' | 'onlyIfUnanswered'>): string {
  const digest = createHash('sha256').update(`${messageRowId}\n${day}\n${onlyIfUnanswered}`).digest('hex')
  return `rem_${digest.slice(0, 26)}`
}
