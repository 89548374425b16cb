import test from 'ava'
import { multipartMail, part, text } from '../../../../tests/mail-corpus/build-mail.ts'
import { describeAttachments } from './attachments.ts'
import { readMimeTree } from './mime-tree.ts'

function describe(...files: Record<string, string>[]) {
  const raw = multipartMail({}, 'mixed', [text('x'), ...files.map((fields) => part(fields, 'content'))])
  return describeAttachments(readMimeTree(raw).root).attachments
}

test('a very long name is cut before its extension', (t) => {
  const [file] = describe({ 'Content-Disposition': `attachment; filename="${'é'.repeat(5000)}.pdf"` })
  t.regex(file?.filename ?? '', /^é{146}\.pdf$/)
})

test('a file name cannot leave its folder, be hidden or disguise its type', (t) => {
  const names = [
    '..\\..\\x.pdf',
    '/etc/passwd',
    '.hidden',
    'a\u202efdp.exe',
    'a\tb\u0000.pdf',
    '  ',
    'CON: <a|b>?*.txt',
  ]
  const files = describe(...names.map((name) => ({ 'Content-Disposition': `attachment; filename="${name}"` })))
  for (const { filename } of files) t.regex(filename, /^[^./\\\s\p{C}:*?"<>|][^/\\\p{C}:*?"<>|]*$/u)
})

test('an unnamed file gets a name for its type, and an invalid type becomes application/octet-stream', (t) => {
  const types = [
    'image/jpeg',
    'image/webp',
    'application/pdf',
    'application/x-thing',
    'nonsense/<b>',
    'message/delivery-status',
  ]
  const files = describe(...types.map((type) => ({ 'Content-Type': type, 'Content-Disposition': 'attachment' })))
  t.deepEqual(
    files.map(({ filename }) => filename),
    ['attachment-1.jpg', 'attachment-2.webp', 'attachment-3.pdf', 'attachment-4', 'attachment-5', 'attachment-6.txt'],
  )
  t.is(files[4]?.contentType, 'application/octet-stream')
})

test('a part is inline if its disposition says so, or if it has a Content-ID and no disposition', (t) => {
  const image = { 'Content-Type': 'image/png' }
  const files = describe(
    { ...image, 'Content-Disposition': 'inline' },
    { ...image, 'Content-ID': '<a@b>' },
    { ...image, 'Content-ID': '<a@b>', 'Content-Disposition': 'attachment' },
    image,
  )
  t.deepEqual(
    files.map(({ inline, contentId }) => [inline, contentId]),
    [
      [true, undefined],
      [true, 'a@b'],
      [false, 'a@b'],
      [false, undefined],
    ],
  )
})

test('alternative renderings of the text are not attachments', (t) => {
  const raw = multipartMail({}, 'alternative', [
    text('x'),
    part({ 'Content-Type': 'text/x-amp-html' }, '<html amp>'),
    part({ 'Content-Type': 'text/rtf' }, '{}'),
  ])
  t.deepEqual(describeAttachments(readMimeTree(raw).root).attachments, [])
})
