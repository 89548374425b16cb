import { type AttachmentKey, readAttachment } from '../mime/attachments.ts'
import { endThread } from './end-thread.ts'
import { readPages } from './read-pages.ts'

export type FileTextTask = { raw: Uint8Array<ArrayBuffer>; key: AttachmentKey }

/** Runs in a worker thread. @returns undefined if the mail has no such file */
export async function readFileText({ raw, key }: FileTextTask): Promise<string | undefined> {
  const file = readAttachment(raw, key)
  return file && readPages(file.content).catch(endThread)
}
