import { attachment, base64, html, type MailCase, mail, multipartMail, text } from './build-mail.ts'

const MEGABYTE = 1_000_000
const HIDDEN = '\u200b\u2060\u00ad\ufeff\u202e\u2066\u200f'

export const hostile: MailCase[] = [
  {
    name: 'NUL and control bytes',
    raw: mail({ 'Content-Type': 'text/plain; charset=utf-8' }, 'a\x00b\x07c\x1b[31md\x7f\u0085e\tf\x0cg\n'),
    expect: { body: 'abc[31md\ne\tf\ng' },
  },
  {
    name: 'bidi overrides and hidden characters',
    raw: mail({}, `pay \u202Eevil\u202C ${HIDDEN}here${HIDDEN} \u{e0041}\u{e0042}now`),
    expect: { body: 'pay evil here now' },
  },
  {
    name: 'necessary joiners and selectors',
    raw: mail({}, '👩‍⚕️ ❤️ 🏴󠁧󠁢󠁳󠁣󠁴󠁿 می‌خواهم क्‍ष'),
    expect: { body: '👩‍⚕️ ❤️ 🏴󠁧󠁢󠁳󠁣󠁴󠁿 می‌خواهم क्‍ष' },
  },
  {
    name: 'a script hidden by NUL bytes',
    raw: mail({ 'Content-Type': 'text/html' }, '<p>ok</p><scr\x00ipt>alert(1)</scr\x00ipt><p>end'),
    expect: { body: 'ok\n\nend', bodyExcludes: ['alert'] },
  },
  {
    name: 'HTML with unclosed elements',
    raw: mail(
      { 'Content-Type': 'text/html' },
      '<p>ok <a href="https://x.example">link</a> <!-- <b>hidden</b> <script>alert(1)',
    ),
    expect: { body: 'ok link (https://x.example)', bodyExcludes: ['hidden', 'alert'] },
  },
  {
    name: 'text in an obsolete encoding is an attachment',
    raw: mail({ 'Content-Transfer-Encoding': 'x-uuencode' }, 'begin 644 a\nM5V4@8V%N\nend\n'),
    expect: { body: '', attachmentCount: 1 },
  },
  {
    name: 'a header line of 1 MB',
    raw: () => mail({ 'X-Long': 'a'.repeat(MEGABYTE), Subject: 'After a long line' }, 'Still here.'),
    expect: { subject: 'After a long line', body: 'Still here.' },
  },
  {
    name: 'an attachment of 20 MB',
    raw: () =>
      multipartMail({}, 'mixed', [
        text('Big.'),
        attachment('scan.tiff', 'image/tiff', Buffer.alloc(20 * MEGABYTE, 'scan')),
      ]),
    expect: { body: 'Big.', attachments: [{ filename: 'scan.tiff', contentType: 'image/tiff', size: 20_000_000 }] },
  },
  {
    name: '300 nested parts',
    raw: () => nested(300, 'At the bottom.'),
    expect: { body: 'At the bottom.', attachments: [], truncated: false },
  },
  { name: '10,000 nested parts', raw: () => nested(10_000, 'Too deep.'), expect: { body: '', truncated: true } },
  {
    name: '10,000 nested messages',
    raw: () => mail({ 'Content-Type': 'message/rfc822' }, 'Content-Type: message/rfc822\r\n\r\n'.repeat(10_000)),
    expect: { subject: 'Hello', bodyIncludes: ['Forwarded message'], truncated: true, attachmentCount: 2 },
  },
  {
    name: '100,000 parts',
    raw: () => mail({ 'Content-Type': 'multipart/mixed; boundary=b' }, '--b\r\n\r\nx\r\n'.repeat(100_000)),
    expect: { bodyIncludes: ['x\n\nx'], truncated: true },
  },
  {
    name: '1,200 attachments',
    raw: () =>
      mail(
        { 'Content-Type': 'multipart/mixed; boundary=b' },
        `--b\r\n\r\nMany.\r\n${'--b\r\nContent-Type: application/pdf\r\n\r\nx\r\n'.repeat(1200)}--b--\r\n`,
      ),
    expect: { body: 'Many.', attachmentCount: 200, truncated: true },
  },
  {
    name: '10 MB of HTML that expands on parsing',
    raw: () =>
      mail({ 'Content-Type': 'text/html' }, `<p>Beginning</p>${'<blockquote><ul><li>&amp;<br>'.repeat(360_000)}`),
    expect: { bodyIncludes: ['Beginning'], bodyExcludes: ['<li', '&amp;'] },
  },
  {
    name: 'HTML whose text comes after 2 MB of styles and pictures',
    raw: () =>
      multipartMail({}, 'alternative', [
        html(
          `<style>${'p{}'.repeat(300_000)}</style><img src="data:image/png;base64,${base64(Buffer.alloc(MEGABYTE)).toString().replace(/\s/g, '')}"><p>The text.</p>`,
        ),
      ]),
    expect: { body: 'The text.' },
  },
  {
    name: '10 MB of lines that look like boundaries',
    raw: () =>
      mail(
        { 'Content-Type': 'multipart/mixed; boundary=b' },
        `--b\r\n\r\nText.${'\r\n--no'.repeat(1_600_000)}\r\n--b--`,
      ),
    expect: { bodyIncludes: ['Text.'], truncated: true },
  },
  {
    name: '20 MB of line breaks',
    raw: () => mail({}, Buffer.alloc(20 * MEGABYTE, '\n')),
    expect: { body: '', attachments: [] },
  },
  {
    name: 'a letter with 100,000 accents',
    raw: () => mail({}, `Dear ${'a\u0301'.repeat(3)}${'\u0301'.repeat(100_000)} family`),
    expect: { bodyIncludes: ['Dear '] },
  },
  { name: 'random bytes', raw: () => randomBytes(200_000), expect: { attachments: [] } },
  {
    name: 'nothing',
    raw: Buffer.alloc(0),
    expect: { subject: '', from: '', body: '', attachments: [], messageId: null },
  },
]

function nested(depth: number, content: string): Buffer {
  const open = Array.from(
    { length: depth },
    (_, level) => `Content-Type: multipart/mixed; boundary=b${level}\r\n\r\n--b${level}\r\n`,
  )
  const close = Array.from({ length: depth }, (_, level) => `\r\n--b${depth - level - 1}--`)
  const whole = `${open.join('')}Content-Type: text/plain\r\n\r\n${content}${close.join('')}\r\n`
  const [type = '', ...rest] = whole.split('\r\n')
  return mail({ 'Content-Type': type.replace('Content-Type: ', '') }, rest.slice(1).join('\r\n'))
}

/** Deterministic, all byte values, no line structure. */
function randomBytes(length: number): Buffer {
  let state = 42
  return Buffer.from(
    Array.from({ length }, () => {
      state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
      return state >> 16
    }),
  )
}
