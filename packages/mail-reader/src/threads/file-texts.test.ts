import { createHash } from 'node:crypto'
import test from 'ava'
import { lockedPdf, pdfOf, pdfThatEndsItsThread } from '../../../../tests/_pdf-and-png.ts'
import { attachment, multipartMail, text } from '../../../../tests/mail-corpus/build-mail.ts'
import { parseMessage } from '../parse-message.ts'
import { createReadFileText } from './file-texts.ts'
import { createReaderPool } from './reader-pool.ts'

const line = (words: string) => `BT /F1 12 Tf 72 720 Td (${words}) Tj ET`

async function mailWith(...files: Uint8Array[]) {
  const parts = files.map((bytes, at) => attachment(`${at}.pdf`, 'application/pdf', Buffer.from(bytes)))
  const raw = Buffer.from(multipartMail({ Subject: 'Files' }, 'mixed', [text('See below.'), ...parts]))
  return { raw, keys: (await parseMessage(raw)).attachments }
}

test('a file that ends its thread is not taken as one without text, and the files after it are read', async (t) => {
  await using pool = createReaderPool()
  const read = createReadFileText(pool)
  const { raw, keys } = await mailWith(pdfThatEndsItsThread(), pdfOf([line('INR 2.6')]))
  const [first, second] = keys.map((key) => () => read('family', raw, key, new AbortController().signal))
  await t.throwsAsync(async () => first?.(), { any: true, message: /abort/ })
  t.is(await second?.(), 'INR 2.6')
  t.true(raw.length > 0, 'the mail is still here')
})

test('files that are damaged or locked have no text, however often they are read', async (t) => {
  await using pool = createReaderPool()
  const { raw, keys } = await mailWith(Buffer.from('%PDF-1.4\nnothing'), lockedPdf())
  for (const key of keys)
    t.is(await createReadFileText(pool)('family', raw, key, new AbortController().signal), undefined)
})

test('a file is not read once its caller or the process ends', async (t) => {
  const pool = createReaderPool()
  const { raw, keys } = await mailWith(pdfOf([line('INR 2.6')]))
  const read = (signal: AbortSignal) => createReadFileText(pool)('family', raw, keys[0] as never, signal)
  await t.throwsAsync(read(AbortSignal.abort()), { name: 'AbortError' })
  await pool[Symbol.asyncDispose]()
  await t.throwsAsync(read(new AbortController().signal), { name: 'AbortError' })
})

test('a file that the mail does not have, has no text', async (t) => {
  await using pool = createReaderPool()
  const { raw, keys } = await mailWith(pdfOf([line('INR 2.6')]))
  const other = { ...keys[0], sha256: createHash('sha256').update('x').digest('hex'), index: 7 } as never
  t.is(await createReadFileText(pool)('family', raw, other, new AbortController().signal), undefined)
})

test('what hides or reverses text in a file is removed, as in mail', async (t) => {
  await using pool = createReaderPool()
  const { raw, keys } = await mailWith(pdfOf([line('Dose\\001 5 mg\\255')]))
  const read = await createReadFileText(pool)('family', raw, keys[0] as never, new AbortController().signal)
  t.regex(read ?? '', /^Dose ?5? ?/)
  // biome-ignore lint/suspicious/noControlCharactersInRegex: none of these may be in a text
  t.notRegex(read ?? '', /[\x00-\x08\xad\u200b\u202e]/)
})
