import { crc32 } from 'node:zlib'
import { createPackedBytes } from './packed-bytes.ts'
import { directoryEnd, directoryEntry, localHeader, sizesAfter } from './records.ts'

/** A file to be put into a zip. Its pieces are read to the end before the next file is asked for. */
export type ZipFile = { name: string; modifiedAt: Date; pieces: AsyncIterable<Uint8Array> }

/** Small records and files go out together: a zip of a hundred thousand mails is else a million writes. */
const GATHERED_BYTES = 64 * 1024

/**
 * A zip that is made while it is sent: of what was sent, only the directory at its end is kept, packed. Files are stored as
 * they are, and there may be more of them, and more bytes, than the first zips could count (APPNOTE.TXT 6.3.10, Zip64).
 * @throws when a single file has 4 GB or more, which says its size in the middle of a stream in a way few programs read
 */
export async function* makeZip(files: AsyncIterable<ZipFile>): AsyncGenerator<Uint8Array> {
  yield* gather(recordsOf(files))
}

async function* recordsOf(files: AsyncIterable<ZipFile>): AsyncGenerator<Uint8Array> {
  const directory = createPackedBytes()
  let count = 0
  let offset = 0
  for await (const { name, modifiedAt, pieces } of files) {
    const entry = { name: Buffer.from(name), modifiedAt, offset, size: 0, checksum: 0 }
    const header = localHeader(entry)
    yield header
    for await (const piece of pieces) {
      entry.size += piece.length
      entry.checksum = crc32(piece, entry.checksum)
      yield piece
    }
    const sizes = sizesAfter(entry)
    yield sizes
    directory.add(directoryEntry(entry))
    offset += header.length + entry.size + sizes.length
    count += 1
  }
  yield* directory.takeAll()
  yield directoryEnd({ count, offset, size: directory.size })
}

async function* gather(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let gathered: Uint8Array[] = []
  let size = 0
  for await (const piece of pieces) {
    gathered.push(piece)
    size += piece.length
    if (size < GATHERED_BYTES) continue
    yield Buffer.concat(gathered)
    gathered = []
    size = 0
  }
  yield Buffer.concat(gathered)
}
