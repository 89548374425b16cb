import { Schema } from 'mongoose'

export type AlarmKind = 'connected' | 'first_write' | 'burst' | 'new_network'

/** On the row of a tool key or connected app: what was noticed, and which mails are due. */
export type AlarmMarks = {
  /** Keyed hashes of where it was used from, the latest last. */
  networks?: string[]
  networkAlarmAt?: Date
  firstWriteAt?: Date
  lastBurstAt?: Date
  /** When each mail is due. */
  alarms?: Partial<Record<AlarmKind, Date>>
  /** When to look at them next. */
  alarmDueAt?: Date
}

export const alarmMarks = {
  networks: { type: [String], default: undefined },
  networkAlarmAt: Date,
  firstWriteAt: Date,
  lastBurstAt: Date,
  alarms: Schema.Types.Mixed,
  alarmDueAt: Date,
}
