import { MemberStatus, Role, type Member as WireMember } from '@family-inbox/proto/carecircle/v1/care_circle'
import { rowSchema } from '@family-inbox/workspace-kit/row-schema'
import { type Connection, Schema } from 'mongoose'
import { type AssistantSettings, assistantSettings } from './workspace.ts'

export type Member = {
  _id: string
  workspaceId: string
  personId: string
  name: string
  email: string
  role: Role
  relationship: string
  joinedAt: Date
  /** A copy of the workspace's. */
  assistants?: AssistantSettings
  /** Whether the member paused all of their own assistants. */
  assistantsPaused?: boolean
  /** When appointments are mailed to them; what is absent has the default of `appointment-mail.ts`. */
  appointmentMail?: AppointmentMail
  /** Here, because each call reads this row. */
  guardMarks?: GuardMark[]
}

export type AppointmentMail = { changes?: boolean; dayBefore?: boolean; hoursBefore?: boolean; timeZone?: string }

/** An assistant of the member that got text of an unverified sender while the family was guarded. */
export type GuardMark = {
  id: string
  credentialId: string
  createdAt: Date
  /** Whether something was proposed under this mark. A later reading needs a mark of its own. */
  proposed?: boolean
  /** Set when a member decides such a proposal. */
  endsAt?: Date
}

const guardMark = new Schema<GuardMark>(
  { id: String, credentialId: String, createdAt: Date, proposed: Boolean, endsAt: Date },
  { _id: false, id: false },
)

const schema = rowSchema<Member>(
  'members',
  {
    _id: String,
    workspaceId: String,
    personId: String,
    name: String,
    email: String,
    role: String,
    relationship: String,
    joinedAt: Date,
    assistants: assistantSettings,
    assistantsPaused: Boolean,
    appointmentMail: Schema.Types.Mixed,
    guardMarks: { type: [guardMark], default: undefined },
  },
  { workspaceId: 'field', personId: 'apart' },
  { shardKey: { workspaceId: 1 } },
)
schema.index({ workspaceId: 1, joinedAt: 1 })
schema.index({ personId: 1 })
schema.index({ email: 1 })

export function memberModel(connection: Connection) {
  return connection.model('Member', schema)
}

export function memberId(workspaceId: string, personId: string): string {
  return `${workspaceId}/${personId}`
}

export function toWireMember({ personId, name, email, role, relationship, joinedAt }: Member): WireMember {
  const status = MemberStatus.ACTIVE
  return { personId, name, email, role, relationship, status, invitationId: '', joinedAt, expiresAt: undefined }
}

/** Cannot collide: person ids begin with `per_`. */
export const SYNTHETIC_OWNER = 'synthetic-owner'

/** Owns an unclaimed sandbox workspace. Without email and credentials, nobody can act as it. */
export function syntheticOwner(workspaceId: string, joinedAt: Date): Member {
  return {
    _id: memberId(workspaceId, SYNTHETIC_OWNER),
    workspaceId,
    personId: SYNTHETIC_OWNER,
    name: 'Nobody yet',
    email: '',
    role: Role.OWNER,
    relationship: '',
    joinedAt,
  }
}
