import { rowSchema } from '@family-inbox/workspace-kit/row-schema'
import { sealedIn, sealedModel } from '@family-inbox/workspace-kit/sealed-rows'
import type { WorkspaceKeys } from '@family-inbox/workspace-kit/workspace-keys'
import type { Connection } from 'mongoose'

/** What the files of a message say, so that it is found by it. */
export type AttachmentText = {
  /** That of the message. */
  _id: string
  workspaceId: string
  /** By the file's index among the attachments. Files without text are left out. */
  texts: { index: number; text: string }[]
}

const schema = rowSchema<AttachmentText>(
  'attachment_texts',
  { _id: String, workspaceId: String, texts: sealedIn('text') },
  { workspaceId: 'field', messageRowId: '_id' },
  { shardKey: { _id: 1 } },
)
schema.index({ workspaceId: 1 })

export function attachmentTextModel(connection: Connection, keys: WorkspaceKeys) {
  return sealedModel(connection, 'AttachmentText', schema, keys)
}

type Texts = { attachmentTexts: ReturnType<typeof attachmentTextModel> }

/** What the files of a message say, by their index among the attachments. */
export async function findTextsOf({ attachmentTexts }: Texts, messageRowId: string): Promise<Map<number, string>> {
  const row = await attachmentTexts.findOne({ _id: messageRowId }).lean<AttachmentText>()
  return new Map(row?.texts.map(({ index, text }) => [index, text]))
}

/** The texts of each of these messages together, for its search entry. */
export async function findFileTexts({ attachmentTexts }: Texts, messageRowIds: string[]): Promise<Map<string, string>> {
  const rows = await attachmentTexts.find({ _id: { $in: messageRowIds } }).lean<AttachmentText[]>()
  return new Map(rows.map(({ _id, texts }) => [_id, texts.map(({ text }) => text).join('\n')]))
}
