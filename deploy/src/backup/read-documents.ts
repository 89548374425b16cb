import { createReadStream } from 'node:fs'

/** MongoDB's largest document, plus its internal overhead. */
const MOST_BYTES = 16 * 1024 * 1024 + 16 * 1024

/** Streams the documents of a .bson file; each starts with its length (BSON 1.1). @throws when the last one is cut off */
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
  if (held > 0) throw new Error(`${file} is incomplete.`)
}

/** The length of the document that starts here; 4 while its length is not read yet. */
function lengthAt(bytes: Buffer, file: string): number {
  if (bytes.length < 4) return 4
  const length = bytes.readInt32LE(0)
  if (length < 5 || length > MOST_BYTES) throw new Error(`${file} is not a BSON file.`)
  return length
}
