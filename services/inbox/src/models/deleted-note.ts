import { rowSchema } from '@family-inbox/workspace-kit/row-schema'
import { sealedIn, sealedModel } from '@family-inbox/workspace-kit/sealed-rows'
import type { WorkspaceKeys } from '@family-inbox/workspace-kit/workspace-keys'
import type { Connection } from 'mongoose'
import type { Note } from './note.ts'

/** A deleted note, apart from the others, so that nothing shows it but what puts it back. */
export type DeletedNote = Pick<Note, '_id' | 'workspaceId' | 'lovedOneId' | 'messageRowId' | 'personId'> & {
  deletedAt: Date
  /** When it is deleted for good. */
  purgeAt: Date
  note: Note
}

const schema = rowSchema<DeletedNote>(
  'deleted_notes',
  {
    _id: String,
    workspaceId: String,
    lovedOneId: String,
    messageRowId: String,
    personId: String,
    deletedAt: Date,
    purgeAt: Date,
    note: sealedIn('text'),
  },
  { workspaceId: 'field', messageRowId: 'field', personId: 'kept' },
  { shardKey: { workspaceId: 1 } },
)
schema.index({ messageRowId: 1, deletedAt: -1 })
schema.index({ workspaceId: 1 })
schema.index({ purgeAt: 1 }, { expireAfterSeconds: 0 })

export function deletedNoteModel(connection: Connection, keys: WorkspaceKeys) {
  return sealedModel(connection, 'DeletedNote', schema, keys)
}
