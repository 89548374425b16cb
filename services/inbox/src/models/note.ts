import { createHash } from 'node:crypto'
import { newId } from '@family-inbox/service-kit/ids/ids'
import { rowSchema } from '@family-inbox/workspace-kit/row-schema'
import { SEALED, sealedModel } from '@family-inbox/workspace-kit/sealed-rows'
import type { WorkspaceKeys } from '@family-inbox/workspace-kit/workspace-keys'
import type { Connection } from 'mongoose'

/** A member’s words about a message, for the family only. Nothing that leaves the family reads this collection. */
export type Note = {
  _id: string
  workspaceId: string
  lovedOneId: string
  messageRowId: string
  personId: string
  name: string
  text: string
  createdAt: Date
  /** Members it names who are not notified yet. */
  toNotify?: string[] | undefined
}

const schema = rowSchema<Note>(
  'notes',
  {
    _id: String,
    workspaceId: String,
    lovedOneId: String,
    messageRowId: String,
    personId: String,
    name: String,
    text: SEALED,
    createdAt: Date,
    toNotify: { type: [String], default: undefined },
  },
  { workspaceId: 'field', messageRowId: 'field', personId: 'kept' },
  { shardKey: { workspaceId: 1 } },
)
schema.index({ messageRowId: 1, createdAt: 1 })
schema.index({ workspaceId: 1, createdAt: 1 })
schema.index({ toNotify: 1 }, { sparse: true })

export function noteModel(connection: Connection, keys: WorkspaceKeys) {
  return sealedModel(connection, 'Note', schema, keys)
}

/** The same for every attempt to add this text from one form. */
export function newNoteId(personId: string, messageRowId: string, idempotencyKey: string, text: string): string {
  if (idempotencyKey === '') return newId('note')
  const digest = createHash('sha256').update(`${personId}\n${messageRowId}\n${idempotencyKey}\n${text}`).digest('hex')
  return `note_${digest.slice(0, 26)}`
}
