import { rowSchema } from '@family-inbox/workspace-kit/row-schema'
import type { Connection } from 'mongoose'

/** The line that ends every reply about a loved one. */
type ReplyFooter = {
  /** `<workspaceId>/<lovedOneId>` */
  _id: string
  workspaceId: string
  lovedOneId: string
  text: string
}

const schema = rowSchema<ReplyFooter>(
  'reply_footers',
  {
    _id: String,
    workspaceId: String,
    lovedOneId: String,
    text: String,
  },
  { workspaceId: 'field' },
  { shardKey: { _id: 1 } },
)
schema.index({ workspaceId: 1 })

export function replyFooterModel(connection: Connection) {
  return connection.model('ReplyFooter', schema)
}

export function replyFooterId(workspaceId: string, lovedOneId: string): string {
  return `${workspaceId}/${lovedOneId}`
}

/** The line for replies about this loved one, if the family wrote one. */
export async function findFooter(
  { replyFooters }: { replyFooters: ReturnType<typeof replyFooterModel> },
  workspaceId: string,
  { lovedOneId }: { lovedOneId: string },
): Promise<string | undefined> {
  return (await replyFooters.findById(replyFooterId(workspaceId, lovedOneId)).lean())?.text
}
