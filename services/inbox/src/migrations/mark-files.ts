import { hasPages } from '@family-inbox/mail-reader/preview/preview-kind'
import type { Connection } from 'mongoose'
import type { Message } from '../models/message.ts'

const BATCH_SIZE = 500

/** Earlier mail is found by what its PDFs say, too: arriving/read-files.ts reads them in the background. */
export async function markFiles(connection: Connection): Promise<void> {
  const messages = connection.collection<Pick<Message, '_id' | 'attachments' | 'attachmentTextPending'>>('messages')
  for (let last = ''; ; ) {
    const rows = await messages
      .find({ _id: { $gt: last }, 'attachments.0': { $exists: true } }, { projection: { attachments: 1 } })
      .sort({ _id: 1 })
      .limit(BATCH_SIZE)
      .toArray()
    // By the code that decides for mail that arrives: a query would know fewer types and names.
    const ids = rows.filter(({ attachments }) => attachments.some(hasPages)).map(({ _id }) => _id)
    await messages.updateMany({ _id: { $in: ids } }, { $set: { attachmentTextPending: true } })
    const end = rows.at(-1)
    if (end === undefined) return
    last = end._id
  }
}
