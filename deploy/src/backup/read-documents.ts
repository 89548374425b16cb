import { createReadStream } from 'node:fs'

/** The largest document MongoDB holds, with what it allows its own. */
const MOST_BYTES = 16 * 1024 * 1024 + 16 * 1024

/**
 * The documents of a .bson file one by one, each beginning with its length (BSON 1.1), however large the file is.
 * @throws when the file ends in the middle of one
 */
export async function* readDocuments(file: string): AsyncGenerator<Buffer> {
  let rest: Buffer = Buffer.alloc(0)
  let wanted = 4
  const chunks: Buffer[] = []
  let held = 0
  for await (const chunk of createReadStream(file, { highWaterMark: 1024 * 1024 })) {
    chunks.push(chunk)
    held += chunk.length
    if (held < wanted) continue
    rest = Buffer.concat(chunks.splice(0))
    for (wanted = lengthAt(rest, file); rest.length >= wanted; wanted = lengthAt(rest, file)) {
      yield rest.subarray(0, wanted)
      rest = rest.subarray(wanted)
    }
    chunks.push(rest)
    held = rest.length
  }
  if (held > 0) throw new Error(`${file} is not whole.`)
}

/** How many bytes the document that begins here has; at least those that say it. */
function lengthAt(bytes: Buffer, file: string): number {
  if (bytes.length < 4) return 4
  const length = bytes.readInt32LE(0)
  if (length < 5 || length > MOST_BYTES) throw new Error(`${file} holds no BSON.`)
  return length
}
