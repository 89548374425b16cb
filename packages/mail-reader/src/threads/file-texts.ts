import type { AttachmentKey } from '../mime/attachments.ts'
import type { ReaderPool } from './reader-pool.ts'

/**
 * The text of a PDF of a mail, as people see it; undefined if there is none. Rejects if it could not be read within the limits: that
 * may be the file, or a busy machine.
 */
export type ReadFileText = (
  owner: string,
  raw: Uint8Array,
  key: AttachmentKey,
  signal: AbortSignal,
) => Promise<string | undefined>

/** In a lane of its own: a stranger's mail starts this work, so it must cost nobody who opens a file their turn. */
export function createReadFileText(pool: ReaderPool): ReadFileText {
  return async (owner, bytes, key, signal) => {
    signal.throwIfAborted()
    // Moving a part of a larger buffer would move all of it.
    const raw = new Uint8Array(bytes)
    return pool.run('readFile', owner, { raw, key }, [raw.buffer], signal)
  }
}
