import { execFileSync } from 'node:child_process'
import { createWriteStream, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import test from 'ava'
import { createPackedBytes, dataDescriptor, directoryEnd, directoryEntry, makeZip, type ZipFile } from './zip.ts'

const MODIFIED_AT = new Date('2026-05-14T10:30:22Z')

test('files come out of a zip unchanged, with any name and size', async (t) => {
  const listed = await readBack([
    file('Read me.txt', ['Hello']),
    file('mail/José Ñandú/照片.jpg', ['a', '', 'bc']),
    file('empty', []),
    file(
      'large',
      Array.from({ length: 40 }, () => 'x'.repeat(50_000)),
    ),
  ])
  t.deepEqual(listed, {
    count: 4,
    isWhole: true,
    first: ['Read me.txt', 5, '2026-05-14 10:30:22'],
    last: ['large', 2_000_000, '2026-05-14 10:30:22'],
    names: ['Read me.txt', 'mail/José Ñandú/照片.jpg', 'empty', 'large'],
  })
})

test('a zip can hold more than 65,535 files', async (t) => {
  const count = 65_600
  const listed = await readBack(Array.from({ length: count }, (_, index) => file(`mail/${index}.eml`, [`${index}`])))
  t.is(listed.count, count)
  t.true(listed.isWhole)
  t.deepEqual(listed.last, [`mail/${count - 1}.eml`, 5, '2026-05-14 10:30:22'])
})

test('the end record switches to Zip64 when a value is too large', (t) => {
  t.is(directoryEnd({ count: 65_534, offset: 1, size: 1 }).length, 22)
  for (const end of [
    { count: 65_535, offset: 1, size: 1 },
    { count: 1, offset: 2 ** 32, size: 1 },
    { count: 1, offset: 1, size: 2 ** 32 },
  ]) {
    const bytes = Buffer.from(directoryEnd(end))
    t.is(bytes.length, 98)
    t.is(Number(bytes.readBigUInt64LE(32)), end.count)
    t.is(Number(bytes.readBigUInt64LE(40)), end.size)
    t.is(Number(bytes.readBigUInt64LE(48)), end.offset)
    t.is(Number(bytes.readBigUInt64LE(56 + 8)), end.offset + end.size)
  }
})

test('a file that starts beyond 4 GB has a 64-bit offset', (t) => {
  const offset = 5 * 2 ** 32 + 7
  const entry = Buffer.from(
    directoryEntry({ name: Buffer.from('a'), modifiedAt: MODIFIED_AT, offset, size: 1, checksum: 0 }),
  )
  t.is(entry.readUInt32LE(42), 0xffffffff)
  t.is(entry.readUInt16LE(30), 12)
  t.is(Number(entry.readBigUInt64LE(47 + 4)), offset)
  t.throws(() => dataDescriptor({ size: 2 ** 32, checksum: 0 }), { instanceOf: RangeError })
})

test('packed bytes come back unchanged and in order', (t) => {
  const packed = createPackedBytes()
  const parts = Array.from({ length: 500 }, (_, index) => Buffer.from(`${index} `.repeat((index * 37) % 900)))
  parts.push(Buffer.alloc(200_000, 'z'), Buffer.from('end'))
  for (const part of parts) packed.add(part)
  const whole = Buffer.concat(parts)
  t.is(packed.size, whole.length)
  t.true(Buffer.concat([...packed.takeAll()]).equals(whole))
})

function file(name: string, pieces: string[]): ZipFile {
  async function* bytes() {
    yield* pieces.map((piece) => Buffer.from(piece))
  }
  return { name, modifiedAt: MODIFIED_AT, pieces: bytes() }
}

/** Lists and verifies a zip with Python's zipfile module. */
async function readBack(files: ZipFile[]) {
  const folder = mkdtempSync(join(tmpdir(), 'make-zip-'))
  try {
    const path = join(folder, 'test.zip')
    await pipeline(makeZip(Readable.from(files)), createWriteStream(path))
    return JSON.parse(String(execFileSync('python3', ['-c', LISTING, path], { maxBuffer: 2 ** 26 })))
  } finally {
    rmSync(folder, { recursive: true })
  }
}

const LISTING = `
import json, sys, zipfile
z = zipfile.ZipFile(sys.argv[1])
def row(i): return [i.filename, i.file_size, '%04d-%02d-%02d %02d:%02d:%02d' % i.date_time]
all = z.infolist()
print(json.dumps({
  'count': len(all), 'isWhole': z.testzip() is None, 'first': row(all[0]), 'last': row(all[-1]),
  'names': [i.filename for i in all[:4]],
}))
`
