import { DAY_SEC } from '@family-inbox/service-kit/time/days'
import { rowSchema } from '@family-inbox/workspace-kit/row-schema'
import { SEALED, sealedModel } from '@family-inbox/workspace-kit/sealed-rows'
import type { WorkspaceKeys } from '@family-inbox/workspace-kit/workspace-keys'
import { type Connection, Schema } from 'mongoose'

/** A member’s unsent text: a reply, by message; else what `kind` says. */
export type Draft = {
  _id: string
  workspaceId: string
  messageRowId: string
  personId: string
  body: string
  /** As it was typed, as are `to` and `subject`. */
  cc?: string
  /** A forward, or a new message that opens a conversation. Absent for a reply. */
  kind?: 'forward' | 'opening'
  /** These are of a kind. */
  lovedOneId?: string
  to?: string
  subject?: string
  parts?: { files: boolean; original: boolean }
  changedAt: Date
}

const KEPT_SECONDS = 90 * DAY_SEC

const schema = rowSchema<Draft>(
  'drafts',
  {
    _id: String,
    workspaceId: String,
    messageRowId: String,
    personId: String,
    body: SEALED,
    cc: String,
    kind: String,
    lovedOneId: String,
    to: String,
    subject: SEALED,
    parts: { type: Schema.Types.Mixed, default: undefined },
    changedAt: Date,
  },
  { workspaceId: 'field', personId: '_id/', messageRowId: 'field' },
  { shardKey: { workspaceId: 1 } },
)
schema.index({ messageRowId: 1 })
schema.index({ workspaceId: 1 })
schema.index({ changedAt: 1 }, { expireAfterSeconds: KEPT_SECONDS })

export function draftModel(connection: Connection, keys: WorkspaceKeys) {
  return sealedModel(connection, 'Draft', schema, keys)
}

export function draftId(personId: string, messageRowId: string): string {
  return `${personId}/${messageRowId}`
}

/** Of a forward, or of a new message: a person has one of each. */
export function mailDraftId(personId: string, messageRowId: string, kind: NonNullable<Draft['kind']>): string {
  return `${draftId(personId, messageRowId)}/${kind}`
}

/** In place of the message: what is new belongs to none yet. */
export function newMailRowId(workspaceId: string): string {
  return `${workspaceId}/new`
}
