import { createHash } from 'node:crypto'
import test from 'ava'
import { assemble, pdfOf } from '../../../../tests/_pdf-and-png.ts'
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

test('the text of a file of a mail is read, also after files that end their thread', async (t) => {
  await using pool = createReaderPool(1500)
  const read = createReadFileText(pool)
  const looping = assemble([
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [2 0 R 2 0 R] /Count 2000000 >>',
  ])
  const { raw, keys } = await mailWith(Buffer.from('%PDF-1.4\nnothing'), looping, pdfOf([line('INR 2.6')]))
  const never = new AbortController().signal
  const texts: (string | undefined)[] = []
  for (const key of keys) texts.push(await read('family', raw, key, never))
  t.is(texts[0], undefined)
  t.falsy(texts[1])
  t.is(texts[2], 'INR 2.6')
  t.true(raw.length > 0, 'the mail is still here')
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
