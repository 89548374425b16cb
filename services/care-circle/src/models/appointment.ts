import { DAY_SEC } from '@family-inbox/service-kit/time/days'
import { rowSchema } from '@family-inbox/workspace-kit/row-schema'
import { type Connection, Schema } from 'mongoose'

/** Moments; whole days, as midnights in UTC; or what clocks at the place show, as if in UTC. */
export type TimeKind = 'moment' | 'day' | 'local'

/** How much is known about who sent the first mail about it. */
export type Proof = 'verified' | 'forwarded' | 'unverified' | 'member'

/** The content of a VEVENT: a single appointment, a whole series, or a changed occurrence. */
export type Component = {
  /** The original start of a changed occurrence. */
  recurrenceId?: Date
  /** Set beside recurrenceId: all later occurrences, too. */
  andLater?: true
  sequence: number
  stampedAt: Date
  canceled: boolean
  title: string
  place: string
  kind: TimeKind
  starts: Date[]
  durationSec: number
  recurring: boolean
  /** It may still change. */
  tentative?: true
  /** Hashes of who is invited; and of whom it is not for: people of the organizer's domain, and who was removed. Absent without any. */
  attendees?: string[]
  others?: string[]
  /** The address of a video visit. */
  link?: string
  /** The organizer’s other words. */
  note?: string
}

export type Occurrence = {
  /** Empty unless it is one of a series; then its original start. */
  key: string
  startsAt: Date
  endsAt: Date
  kind: TimeKind
  title: string
  place: string
  canceled: boolean
  tentative?: true
  link?: string
  note?: string
  /** When it was last moved or canceled, or its location changed. */
  changedAt?: Date
  /** Before the last change, if that moved it. */
  earlierStart?: Date
}

/** `since` is absent in rows of an older version. */
export type Going = { key: string; personId: string; since?: Date }

export type Appointment = {
  _id: string
  workspaceId: string
  lovedOneId: string
  /** Hash of the UID: of a mail's, anything is possible. */
  uidHash: string
  /** The sender who may change it: another sender's event with the same UID is another appointment. */
  owner: string
  proof: Proof
  senderName: string
  senderAddress: string
  /** Newest first. */
  messageIds: string[]
  components: Component[]
  /** Derived from the components. */
  occurrences: Occurrence[]
  lastEndsAt: Date
  /** When the last one that is not canceled ends; long past without any. Absent until an older version’s row is migrated. */
  activeUntil?: Date
  /** The cancellations by members: keys of occurrences, or `*`. */
  canceledByFamily: string[]
  going: Going[]
  addedBy?: string
  createdAt: Date
  /** Set while those of `noticeTo` do not know of a change yet. */
  noticeDueAt?: Date
  noticeTo?: Going[]
  /** Set until the members that asked for news have it: the member that made the change, or empty for its sender. */
  newsBy?: string
  /** When to look for reminders again, and until when they are mailed. Absent while nobody goes. */
  remindDueAt?: Date
  remindedUntil?: Date
  /** The version of components, occurrences and canceledByFamily; a change must name the version it read. */
  version: number
}

/** Named for query hints. */
export const INDEX = { byStart: 'by_start', longByEnd: 'long_by_end' } as const

/** Few take longer, so those have an index of their own. */
export const LONG_SEC = DAY_SEC

const { Mixed } = Schema.Types

const schema = rowSchema<Appointment>(
  'appointments',
  {
    _id: String,
    workspaceId: String,
    lovedOneId: String,
    uidHash: String,
    owner: String,
    proof: String,
    senderName: String,
    senderAddress: String,
    messageIds: [String],
    components: Mixed,
    occurrences: Mixed,
    lastEndsAt: Date,
    activeUntil: Date,
    canceledByFamily: [String],
    going: Mixed,
    addedBy: String,
    createdAt: Date,
    noticeDueAt: Date,
    noticeTo: Mixed,
    newsBy: String,
    remindDueAt: Date,
    remindedUntil: Date,
    version: Number,
  },
  { workspaceId: 'field' },
  { shardKey: { workspaceId: 1 } },
)
schema.index({ workspaceId: 1, lovedOneId: 1, uidHash: 1, owner: 1 }, { unique: true })
schema.index({ workspaceId: 1, lovedOneId: 1, messageIds: 1 })
// The id keeps those that start together in the order of a page.
schema.index({ workspaceId: 1, 'occurrences.startsAt': 1, _id: 1, lovedOneId: 1 }, { name: INDEX.byStart })
schema.index(
  { workspaceId: 1, lastEndsAt: 1, lovedOneId: 1 },
  { name: INDEX.longByEnd, partialFilterExpression: { 'components.durationSec': { $gt: LONG_SEC } } },
)
schema.index({ workspaceId: 1, lovedOneId: 1, proof: 1, activeUntil: 1 })
schema.index({ workspaceId: 1, proof: 1, senderAddress: 1, lovedOneId: 1, activeUntil: 1 })
schema.index({ workspaceId: 1, 'going.personId': 1 })
schema.index({ noticeDueAt: 1 }, { sparse: true })
schema.index({ remindDueAt: 1 }, { sparse: true })

export function appointmentModel(connection: Connection) {
  return connection.model('Appointment', schema)
}

/** The owner of appointments that members add. */
export const FAMILY = 'family'
