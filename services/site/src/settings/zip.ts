import { crc32, deflateRawSync, inflateRawSync } from 'node:zlib'

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

/** How much is packed at once: enough to find what repeats. */
const PART_BYTES = 64 * 1024

type PackedBytes = {
  /** How many bytes were added. */
  readonly size: number
  add(bytes: Uint8Array): void
  /** Everything that was added, in order, and forgotten as it is taken. */
  takeAll(): Generator<Uint8Array>
}

/** Bytes that are added little by little and needed once, at the end. They are kept compressed, without an object for each. */
export function createPackedBytes(): PackedBytes {
  const packed: Buffer[] = []
  let open = Buffer.allocUnsafe(PART_BYTES)
  let used = 0
  let size = 0

  function add(bytes: Uint8Array): void {
    if (used + bytes.length > open.length) close(bytes.length)
    open.set(bytes, used)
    used += bytes.length
    size += bytes.length
  }

  function close(next: number): void {
    packed.push(deflateRawSync(open.subarray(0, used), { level: 6 }))
    if (next > open.length) open = Buffer.allocUnsafe(next)
    used = 0
  }

  function* takeAll(): Generator<Uint8Array> {
    for (let part = packed.shift(); part !== undefined; part = packed.shift()) yield inflateRawSync(part)
    yield open.subarray(0, used)
    used = 0
  }

  return {
    get size() {
      return size
    },
    add,
    takeAll,
  }
}

/** A file as a zip's records tell of it. */
type Entry = {
  /** Its path, in UTF-8. */
  name: Uint8Array
  modifiedAt: Date
  /** Where its local header begins. */
  offset: number
  size: number
  checksum: number
}

/** What a field of 16 or 32 bits holds when the truth is in the Zip64 record. */
const SEE_ZIP64_16 = 0xffff
const SEE_ZIP64_32 = 0xffffffff

/** Sizes follow the file (bit 3), names are UTF-8 (bit 11). */
const FLAGS = (1 << 3) | (1 << 11)
const STORED = 0
/** Zip64 needs version 4.5 to be read. */
const VERSION = 45
const MADE_BY_UNIX = 3 << 8
/** A plain file that only its owner reads. */
const MODE = 0o100600

/** What stands before a file's bytes (APPNOTE.TXT 4.3.7); its size is not known yet. */
function localHeader({ name, modifiedAt }: Pick<Entry, 'name' | 'modifiedAt'>): Uint8Array {
  const record = Buffer.alloc(30 + name.length)
  record.writeUInt32LE(0x04034b50, 0)
  record.writeUInt16LE(VERSION, 4)
  record.writeUInt16LE(FLAGS, 6)
  record.writeUInt16LE(STORED, 8)
  writeTime(record, 10, modifiedAt)
  record.writeUInt16LE(name.length, 26)
  record.set(name, 30)
  return record
}

/**
 * What stands after a file's bytes (4.3.9).
 * @throws when it has 4 GB or more: readers that go through a zip from its beginning would take such a record for another one
 */
export function sizesAfter({ size, checksum }: Pick<Entry, 'size' | 'checksum'>): Uint8Array {
  if (size >= SEE_ZIP64_32) throw new RangeError('a file of a zip has 4 GB or more')
  const record = Buffer.alloc(16)
  record.writeUInt32LE(0x08074b50, 0)
  record.writeUInt32LE(checksum, 4)
  record.writeUInt32LE(size, 8)
  record.writeUInt32LE(size, 12)
  return record
}

/** A file's line in the directory (4.3.12); one that begins after the first 4 GB says where in a Zip64 field (4.5.3). */
export function directoryEntry({ name, modifiedAt, offset, size, checksum }: Entry): Uint8Array {
  const isFar = offset >= SEE_ZIP64_32
  const record = Buffer.alloc(46 + name.length + (isFar ? 12 : 0))
  record.writeUInt32LE(0x02014b50, 0)
  record.writeUInt16LE(MADE_BY_UNIX | VERSION, 4)
  record.writeUInt16LE(VERSION, 6)
  record.writeUInt16LE(FLAGS, 8)
  record.writeUInt16LE(STORED, 10)
  writeTime(record, 12, modifiedAt)
  record.writeUInt32LE(checksum, 16)
  record.writeUInt32LE(size, 20)
  record.writeUInt32LE(size, 24)
  record.writeUInt16LE(name.length, 28)
  record.writeUInt16LE(isFar ? 12 : 0, 30)
  record.writeUInt32LE(MODE * 0x10000, 38)
  record.writeUInt32LE(isFar ? SEE_ZIP64_32 : offset, 42)
  record.set(name, 46)
  if (isFar) {
    record.writeUInt16LE(1, 46 + name.length)
    record.writeUInt16LE(8, 48 + name.length)
    record.writeBigUInt64LE(BigInt(offset), 50 + name.length)
  }
  return record
}

/** How a zip ends (4.3.16): how many files there are, and where the directory is; in Zip64 too, when either is too much. */
export function directoryEnd({ count, offset, size }: { count: number; offset: number; size: number }): Uint8Array {
  const record = Buffer.alloc(22)
  record.writeUInt32LE(0x06054b50, 0)
  record.writeUInt16LE(Math.min(count, SEE_ZIP64_16), 8)
  record.writeUInt16LE(Math.min(count, SEE_ZIP64_16), 10)
  record.writeUInt32LE(Math.min(size, SEE_ZIP64_32), 12)
  record.writeUInt32LE(Math.min(offset, SEE_ZIP64_32), 16)
  const needsZip64 = count >= SEE_ZIP64_16 || size >= SEE_ZIP64_32 || offset >= SEE_ZIP64_32
  return needsZip64 ? Buffer.concat([zip64End(count, offset, size), record]) : record
}

/** The end in 64 bits (4.3.14), and where it is (4.3.15). */
function zip64End(count: number, offset: number, size: number): Uint8Array {
  const record = Buffer.alloc(56 + 20)
  record.writeUInt32LE(0x06064b50, 0)
  record.writeBigUInt64LE(44n, 4)
  record.writeUInt16LE(MADE_BY_UNIX | VERSION, 12)
  record.writeUInt16LE(VERSION, 14)
  record.writeBigUInt64LE(BigInt(count), 24)
  record.writeBigUInt64LE(BigInt(count), 32)
  record.writeBigUInt64LE(BigInt(size), 40)
  record.writeBigUInt64LE(BigInt(offset), 48)
  record.writeUInt32LE(0x07064b50, 56)
  record.writeBigUInt64LE(BigInt(offset + size), 64)
  record.writeUInt32LE(1, 72)
  return record
}

/** Time, then date, to two seconds. A zip knows no time zones: it is UTC, wherever this runs. */
function writeTime(record: Buffer, at: number, moment: Date): void {
  const time = (moment.getUTCSeconds() >> 1) | (moment.getUTCMinutes() << 5) | (moment.getUTCHours() << 11)
  const year = Math.min(Math.max(moment.getUTCFullYear(), 1980), 2107)
  const date = moment.getUTCDate() | ((moment.getUTCMonth() + 1) << 5) | ((year - 1980) << 9)
  record.writeUInt16LE(time, at)
  record.writeUInt16LE(date, at + 2)
}
