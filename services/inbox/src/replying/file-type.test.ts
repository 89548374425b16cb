import test from 'ava'
import { attachmentName, fileTypeOf } from './file-type.ts'

const typeOf = (text: string) => fileTypeOf(Buffer.from(text, 'latin1'))?.contentType

test('a type is proved by the first bytes', (t) => {
  t.is(typeOf('\xff\xd8\xff\xe0JFIF'), 'image/jpeg')
  t.is(typeOf('\x89PNG\r\n\x1a\n....'), 'image/png')
  t.is(typeOf('GIF89a...'), 'image/gif')
  t.is(typeOf('RIFF\x01\x02\x03\x04WEBPVP8 '), 'image/webp')
  t.is(typeOf('%PDF-1.7\n'), 'application/pdf')
})

test('programs, pages and other formats are no pictures', (t) => {
  for (const start of [
    'MZ\x90\x00',
    '<!doctype html>',
    '<svg xmlns=',
    ' %PDF-1.7',
    'RIFF\x01\x02\x03\x04WAVE',
    'PK\x03\x04',
    'GIF',
    '',
  ])
    t.is(typeOf(start), undefined, start)
})

test('a name has no path, no control characters, and the extension of its type', (t) => {
  const jpeg = { extensions: ['jpg', 'jpeg'] } as const
  t.is(attachmentName('IMG_1.JPEG', jpeg), 'IMG_1.JPEG')
  t.is(attachmentName('C:\\fakepath\\scan.jpg', jpeg), 'scan.jpg')
  t.is(attachmentName('../../etc/passwd', jpeg), 'passwd.jpg')
  t.is(attachmentName('report.pdf.exe', { extensions: ['pdf'] }), 'report.pdf.exe.pdf')
  t.is(attachmentName('gpj\u202e.exe', jpeg), 'gpj_.exe.jpg')
  t.is(attachmentName('a\r\nBcc: x.jpg', jpeg), 'a__Bcc_ x.jpg')
  t.is(attachmentName('', jpeg), '_.jpg')
  t.true(attachmentName(`${'x'.repeat(5000)}.jpg`, jpeg).length <= 104)
})
