import { base64, type MailCase, mail, quotedPrintable } from './build-mail.ts'

const GERMAN = 'Größe: 1,80 m – schöne Grüße'
const GERMAN_LATIN1 = Buffer.from('Größe: 1,80 m, schöne Grüße', 'latin1')
const WINDOWS = Buffer.from([
  ...Buffer.from('It'),
  0x92,
  ...Buffer.from('s '),
  0x93,
  ...Buffer.from('fine'),
  0x94,
  0x20,
  0x97,
  0x20,
  0x80,
  0x35,
])
const WINDOWS_TEXT = 'It’s “fine” — €5'
const JAPANESE = Buffer.from('1b24424d3d4c731b2842', 'hex')
const CHINESE = Buffer.from('d4a4d4bcc3c5d5ef8139ee39', 'hex')
const RUSSIAN = Buffer.from('f0d2c9d7c5d42c20d7d2c1de', 'hex')
const BOM = '\ufeff'

export const charsets: MailCase[] = [
  charset('UTF-8 8bit', 'utf-8', '8bit', Buffer.from(`${GERMAN} 你好 👨‍👩‍👧`), `${GERMAN} 你好 👨‍👩‍👧`),
  charset('UTF-8 base64', 'UTF-8', 'base64', base64(GERMAN), GERMAN),
  charset('UTF-8 quoted-printable', '"utf-8"', 'quoted-printable', Buffer.from(quotedPrintable(GERMAN)), GERMAN),
  charset('UTF-8 with a byte order mark', 'utf-8', '8bit', Buffer.from(BOM + GERMAN), GERMAN),
  charset('ISO-8859-1', 'ISO-8859-1', '8bit', GERMAN_LATIN1, 'Größe: 1,80 m, schöne Grüße'),
  charset('windows-1252', 'windows-1252', '8bit', WINDOWS, WINDOWS_TEXT),
  charset('ISO-2022-JP', 'ISO-2022-JP', '7bit', JAPANESE, '予約'),
  charset('ISO-2022-JP without a label', 'us-ascii', '7bit', JAPANESE, '予約'),
  charset('GB18030', 'GB18030', '8bit', CHINESE, '预约门诊㐀'),
  charset('KOI8-R', 'koi8-r', 'base64', base64(RUSSIAN), 'Привет, врач'),
  charset('windows-1252 labeled us-ascii', 'us-ascii', '8bit', WINDOWS, WINDOWS_TEXT),
  charset('windows-1252 labeled utf-8', 'utf-8', '8bit', WINDOWS, WINDOWS_TEXT),
  charset('UTF-8 labeled iso-8859-1', 'iso-8859-1', '8bit', Buffer.from(GERMAN), GERMAN),
  charset('UTF-8 with an unknown label', 'x-unknown', '8bit', Buffer.from(GERMAN), GERMAN),
  charset('windows-1252 with an unknown label', 'x-unknown', '8bit', WINDOWS, WINDOWS_TEXT),
  charset('UTF-16 with a byte order mark', 'utf-16', 'base64', base64(Buffer.from(BOM + GERMAN, 'utf16le')), GERMAN),
  {
    name: 'no charset and no MIME header at all',
    raw: mail({ 'MIME-Version': null }, Buffer.from(GERMAN)),
    expect: { body: GERMAN },
  },
  subject('encoded-word subject split inside a character (base64)', splitWord('B'), 'Überweisung für Großmutter'),
  subject('encoded-word subject split inside a character (Q)', splitWord('Q'), 'Überweisung für Großmutter'),
  subject('encoded-word subject in KOI8-R', '=?koi8-r?B?8NLJ18XU?= and =?iso-8859-1?q?caf=E9?=', 'Привет and café'),
  subject('raw UTF-8 subject', 'Grüße 👋', 'Grüße 👋'),
  {
    name: 'raw windows-1252 subject and sender',
    raw: Buffer.from('From: J\xfcrgen <j@x.example>\r\nSubject: Gr\xfc\xdfe\r\n\r\nHi', 'latin1'),
    expect: { subject: 'Grüße', from: 'j@x.example', body: 'Hi' },
  },
  subject(
    'subject with controls, bidi overrides and line breaks',
    'a\x00b\x1b[31m \u202Egnp.exe\u2066\u200B\r\n folded',
    'ab[31m gnp.exe folded',
  ),
]

function charset(name: string, label: string, encoding: string, body: Buffer, expected: string): MailCase {
  const fields = { 'Content-Type': `text/plain; charset=${label}`, 'Content-Transfer-Encoding': encoding }
  return { name: `charset: ${name}`, raw: mail(fields, body), expect: { body: expected } }
}

function subject(name: string, value: string, expected: string): MailCase {
  return { name, raw: mail({ Subject: value }, 'Text.'), expect: { subject: expected, body: 'Text.' } }
}

/** Encodes three bytes or one per word, so umlauts are split. */
function splitWord(encoding: 'B' | 'Q'): string {
  const bytes = Buffer.from('Überweisung für Großmutter')
  const size = encoding === 'B' ? 3 : 1
  const words: string[] = []
  for (let start = 0; start < bytes.length; start += size) {
    const piece = bytes.subarray(start, start + size)
    const encoded =
      encoding === 'B' ? piece.toString('base64') : [...piece].map((byte) => `=${byte.toString(16)}`).join('')
    words.push(`=?UTF-8?${encoding}?${encoded}?=`)
  }
  return words.join('\r\n ')
}
