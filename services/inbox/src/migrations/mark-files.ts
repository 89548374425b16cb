import type { Connection } from 'mongoose'
import type { Message } from '../models/message.ts'

/** Earlier mail is found by what its PDFs say, too: arriving/read-files.ts reads them in the background. */
export async function markFiles(connection: Connection): Promise<void> {
  const pdf = { contentType: { $in: ['application/pdf', 'application/x-pdf'] } }
  await connection
    .collection<Message>('messages')
    .updateMany({ attachments: { $elemMatch: pdf } }, { $set: { attachmentTextPending: true } })
}
