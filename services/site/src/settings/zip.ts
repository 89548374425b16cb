import { crc32, deflateRawSync, inflateRawSync } from 'node:zlib'

/** A file of a zip. Its pieces are read to the end before the next file is requested. */
export type ZipFile = { name: string; modifiedAt: Date; pieces: AsyncIterable<Uint8Array> }

/** Small pieces are sent together: a zip of 100,000 messages would otherwise take a million writes. */
const GATHERED_BYTES = 64 * 1024
/** Large enough to compress well. */
const PART_BYTES = 64 * 1024
/** Field values that refer to the Zip64 record. */
const SEE_ZIP64_16 = 0xffff
const SEE_ZIP64_32 = 0xffffffff

/** Sizes follow the file (bit 3), names are UTF-8 (bit 11). */
const FLAGS = (1 << 3) | (1 << 11)
const STORED = 0
/** Zip64 needs version 4.5 to be read. */
const VERSION = 45
const MADE_BY_UNIX = 3 << 8
/** A regular file, readable by its owner only. */
const MODE = 0o100600

/** Streams an uncompressed zip (APPNOTE.TXT 6.3.10, Zip64). Keeps only the packed directory in memory. */
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
    const sizes = dataDescriptor(entry)
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

type PackedBytes = {
  readonly size: number
  add(bytes: Uint8Array): void
  /** Yields everything in order and frees it. */
  takeAll(): Generator<Uint8Array>
}

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

type Entry = {
  name: Uint8Array
  modifiedAt: Date
  offset: number
  size: number
  checksum: number
}

/** The local file header (APPNOTE.TXT 4.3.7); sizes follow the data. */
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

/** The data descriptor (4.3.9). Refuses 4 GB and more, because streaming readers misread the 64-bit form. */
export function dataDescriptor({ size, checksum }: Pick<Entry, 'size' | 'checksum'>): Uint8Array {
  if (size >= SEE_ZIP64_32) throw new RangeError('a file in a zip must be smaller than 4 GB')
  const record = Buffer.alloc(16)
  record.writeUInt32LE(0x08074b50, 0)
  record.writeUInt32LE(checksum, 4)
  record.writeUInt32LE(size, 8)
  record.writeUInt32LE(size, 12)
  return record
}

/** A central directory entry (4.3.12), with a Zip64 offset beyond 4 GB (4.5.3). */
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

/** The end record (4.3.16), preceded by a Zip64 one when needed. */
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

/** The Zip64 end record (4.3.14) and its locator (4.3.15). */
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

/** MS-DOS time and date in UTC, in steps of two seconds. */
function writeTime(record: Buffer, at: number, moment: Date): void {
  const time = (moment.getUTCSeconds() >> 1) | (moment.getUTCMinutes() << 5) | (moment.getUTCHours() << 11)
  const year = Math.min(Math.max(moment.getUTCFullYear(), 1980), 2107)
  const date = moment.getUTCDate() | ((moment.getUTCMonth() + 1) << 5) | ((year - 1980) << 9)
  record.writeUInt16LE(time, at)
  record.writeUInt16LE(date, at + 2)
}
