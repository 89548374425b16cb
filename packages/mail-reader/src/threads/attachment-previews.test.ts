import { PhotonImage } from '@cf-wasm/photon/node'
import { PreviewKind } from '@family-inbox/proto/inbox/v1/inbox'
import ava from 'ava'
import { imageSize } from 'image-size'
import { assemble, lockedPdf, pdfOf, pngOf } from '../../../../tests/_pdf-and-png.ts'
import type { PreviewTask } from '../preview/make-preview.ts'
import { createAttachmentPreviews } from './attachment-previews.ts'
import { createReaderPool } from './reader-pool.ts'

const test = ava.serial
const { signal } = new AbortController()
/** Starting a thread is slow on a busy machine. */
const DEADLINE_MS = 60_000

const taskOf = (kind: PreviewKind, content: Uint8Array, more: Partial<PreviewTask> = {}): PreviewTask => ({
  kind,
  content,
  page: 0,
  isLarge: false,
  ...more,
})

/** Shared, because starting threads is most of the work. */
const pool = createReaderPool(DEADLINE_MS)
const previews = createAttachmentPreviews(pool)
test.after.always(() => pool[Symbol.asyncDispose]())

let calls = 0
/** Each call is another family's, so that none uses up its time. */
const make = (task: PreviewTask, key = `${calls}`) => previews.make(`family ${++calls}`, key, task, signal)

async function drawnFrom(kind: PreviewKind, content: Uint8Array, more: Partial<PreviewTask> = {}) {
  const made = await make(taskOf(kind, content, more))
  return typeof made === 'object' && 'drawing' in made ? made.drawing : made
}

test('a picture becomes a small JPEG of the same shape', async (t) => {
  const drawn = await drawnFrom(PreviewKind.PICTURE, pngOf(2000, 1000))
  if (typeof drawn !== 'object' || !('jpeg' in drawn)) return t.fail(`${drawn}`)
  t.like(drawn, { width: 440, height: 220, pageCount: 0 })
  t.like(imageSize(drawn.jpeg), { width: 440, height: 220, type: 'jpg' })
})

test('a photo that a phone took on its side is turned upright', async (t) => {
  const flat = await drawnFrom(PreviewKind.PICTURE, pngOf(40, 20, [200, 30, 30, 255], [30, 30, 200, 255]))
  if (typeof flat !== 'object' || !('jpeg' in flat)) return t.fail(`${flat}`)
  const drawn = await drawnFrom(PreviewKind.PICTURE, turned(flat.jpeg, 6))
  if (typeof drawn !== 'object' || !('jpeg' in drawn)) return t.fail(`${drawn}`)
  t.like(drawn, { width: 20, height: 40 })
  const image = PhotonImage.new_from_byteslice(drawn.jpeg)
  const [red = 0, , blue = 0] = image.get_raw_pixels()
  t.true(red > 150 && blue < 80, 'what was left is on top')
})

test('a page of a PDF is drawn, and the pages are counted', async (t) => {
  const pdf = pdfOf(['', 'BT /F1 24 Tf 72 700 Td (Blood test) Tj ET', ''])
  const drawn = await drawnFrom(PreviewKind.PAGES, pdf, { page: 1, isLarge: true })
  if (typeof drawn !== 'object' || !('jpeg' in drawn)) return t.fail(`${drawn}`)
  t.like(drawn, { width: 989, height: 1400, pageCount: 3 })
  t.like(imageSize(drawn.jpeg), { width: 989, height: 1400, type: 'jpg' })
  t.true(drawn.jpeg.length > (await blankPageBytes()), 'something is drawn on the page')
})

test('a page that says it is huge is drawn as small as any other', async (t) => {
  const drawn = await drawnFrom(PreviewKind.PAGES, pdfOf(['0 0 9e9 9e9 re f'], [20_000_000, 20_000_000]))
  t.like(drawn, { width: 440, height: 440, pageCount: 1 })
})

for (const [what, kind, content] of [
  ['a picture of 20,000 by 20,000 pixels', PreviewKind.PICTURE, () => claimed(pngOf(2, 2), 20_000, 20_000)],
  ['a picture of 10,000 by 10,000 pixels', PreviewKind.PICTURE, () => pngOf(10_000, 10_000)],
  ['a picture that is cut off', PreviewKind.PICTURE, () => pngOf(300, 300).subarray(0, 60)],
  ['bytes that are no picture', PreviewKind.PICTURE, () => new Uint8Array(Buffer.from('<svg onload="x()"/>'))],
  ['a PDF whose pages contain themselves', PreviewKind.PAGES, selfContained],
] as const)
  test(`${what}: there is no preview, and the next one is made`, async (t) => {
    t.is(await make(taskOf(kind, content()), what), 'failed')
    t.is(previews.find(what), 'failed', 'it is not tried again')
    t.true(typeof (await make(taskOf(PreviewKind.PICTURE, pngOf(3, 3)))) === 'object')
  })

test('a PDF that is locked or damaged is known to be so, and the next one is drawn', async (t) => {
  const files = [pdfOf(['']).subarray(0, 40), lockedPdf()]
  for (const [at, content] of files.entries()) {
    const problem = at === 0 ? 'damaged' : 'locked'
    t.is(await make(taskOf(PreviewKind.PAGES, content), problem), problem)
    t.is(previews.find(problem), problem)
  }
  t.is(typeof (await make(taskOf(PreviewKind.PAGES, pdfOf([''])))), 'object')
})

test('files that take forever end after their time, and another family still sees its pictures', async (t) => {
  await using limits = createReaderPool(5000)
  const limited = createAttachmentPreviews(limits)
  await limited.make('b', 'warm', taskOf(PreviewKind.PICTURE, pngOf(3, 3)), signal)
  const attack = [nestedForms(), evilCalendar(), manyObjects()].map((task, at) =>
    limited.make('a', `bomb ${at}`, task, signal),
  )
  // On a busy machine a thread may take longer to start than it has.
  let made: unknown
  for (let nth = 0; nth < 20 && typeof made !== 'object'; nth += 1)
    made = await limited.make('b', `${nth}`, taskOf(PreviewKind.PICTURE, pngOf(30, 30)), signal)
  t.true(typeof made === 'object', 'the other family sees its picture')
  const outcomes = await Promise.all(attack)
  t.deepEqual(outcomes.slice(0, 2), ['failed', 'failed'])
})

test('a family that has used up its time waits', async (t) => {
  let now = 0
  const watched = createAttachmentPreviews(pool, () => now)
  const take = async (owner: string, content: Uint8Array) => {
    const made = await watched.make(owner, `${owner} ${now++}`, taskOf(PreviewKind.PICTURE, content), signal)
    return typeof made === 'object' ? 'made' : made
  }
  const bad = () => new Uint8Array(Buffer.from('no picture'))
  const attempts: string[] = []
  for (let nth = 0; nth < 32; nth += 1) attempts.push(await take('a', bad()))
  t.deepEqual([attempts[0], attempts.at(-1)], ['failed', 'busy'])
  t.is(await take('b', pngOf(3, 3)), 'made', 'another family is not affected')
  now = 120_000
  t.is(await take('a', pngOf(3, 3)), 'made')
})

async function blankPageBytes(): Promise<number> {
  const blank = await drawnFrom(PreviewKind.PAGES, pdfOf(['']), { isLarge: true })
  return typeof blank === 'object' && 'jpeg' in blank ? blank.jpeg.length : 0
}

/** Says another size in its header than it has. */
function claimed(png: Uint8Array, width: number, height: number): Uint8Array {
  const bytes = Buffer.from(png)
  bytes.writeUInt32BE(width, 16)
  bytes.writeUInt32BE(height, 20)
  return new Uint8Array(bytes)
}

function selfContained(): Uint8Array {
  return assemble(['<< /Type /Catalog /Pages 2 0 R >>', '<< /Type /Pages /Kids [2 0 R 2 0 R] /Count 1000000 >>'])
}

/** Adds an EXIF orientation to a JPEG. */
function turned(jpeg: Uint8Array, orientation: number): Uint8Array {
  const exif = Buffer.from(`4578696600004d4d002a00000008000101120003000000010000000000000000`, 'hex')
  exif.writeUInt16BE(orientation, 24)
  const head = Buffer.from([0xff, 0xe1, 0, exif.length + 2])
  return new Uint8Array(Buffer.concat([jpeg.subarray(0, 2), head, exif, jpeg.subarray(2)]))
}

/** Each form draws the next ten times: 10^12 drawings. */
function nestedForms(): PreviewTask {
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 600] /Contents 4 0 R /Resources << /XObject << /X 5 0 R >> >> >>',
    stream('', '/X Do '.repeat(10)),
  ]
  for (let at = 5; at < 17; at += 1) {
    const resources = at < 16 ? `/Resources << /XObject << /X ${at + 1} 0 R >> >>` : ''
    const body = at < 16 ? '/X Do '.repeat(10) : '0 0 600 600 re f '.repeat(1000)
    objects.push(stream(`/Type /XObject /Subtype /Form /BBox [0 0 600 600] ${resources}`, body))
  }
  return taskOf(PreviewKind.PAGES, assemble(objects))
}

function stream(entries: string, body: string): string {
  return `<< ${entries} /Length ${body.length} >>\nstream\n${body}\nendstream`
}

function manyObjects(): PreviewTask {
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    '<< /Type /Page >>',
  ]
  for (let at = 0; at < 100_000; at += 1) objects.push('[[[[[[[[[[]]]]]]]]]]')
  return taskOf(PreviewKind.PAGES, assemble(objects))
}

/** A time zone that changes every second, forever. */
function evilCalendar(): PreviewTask {
  const lines = [
    'BEGIN:VCALENDAR',
    'BEGIN:VTIMEZONE',
    'TZID:Nowhere',
    'BEGIN:STANDARD',
    'DTSTART:19700101T000000',
    'RRULE:FREQ=SECONDLY',
    'TZOFFSETFROM:+0100',
    'TZOFFSETTO:+0000',
    'END:STANDARD',
    'END:VTIMEZONE',
    'BEGIN:VEVENT',
    'DTSTART;TZID=Nowhere:20350101T100000',
    'RRULE:FREQ=SECONDLY',
    'END:VEVENT',
    'END:VCALENDAR',
  ]
  return taskOf(PreviewKind.INVITATION, new Uint8Array(Buffer.from(lines.join('\r\n'))))
}
