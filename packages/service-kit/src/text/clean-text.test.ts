import test from 'ava'
import fc from 'fast-check'
import { cleanLine, cleanText } from './clean-text.ts'

const HIDDEN = [
  ...[
    '\u0000',
    '\u0007',
    '\u001b',
    '\u007f',
    '\u0085',
    '\u009f',
    '\u00ad',
    '\u034f',
    '\u061c',
    '\u115f',
    '\u180e',
    '\u200b',
  ],
  ...[
    '\u200e',
    '\u200f',
    '\u202a',
    '\u202e',
    '\u2060',
    '\u2064',
    '\u2066',
    '\u2069',
    '\u206f',
    '\u3164',
    '\ufeff',
    '\ufffb',
  ],
  ...['\u{e0001}', '\u{e0041}', '\u{e007f}', '\u{1d173}'],
]
const CONDITIONAL = [
  '\u200c',
  '\u200d',
  '\ufe0f',
  '\ufe00',
  '\u{e0100}',
  '🏴',
  '\u{e0067}\u{e0062}\u{e007f}',
  '😀',
  '❤',
  'می',
  'क्',
  'a',
  '葛',
]
const LONE = ['\ud83d', '\udc00']
const BLANKS = [' ', '\n', '\r\n', '\r', '\t', '\u00a0', '\u2028', '\f']

const FORBIDDEN =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: none of these may remain
  /[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff]|\u034f|[\u{e0000}-\u{e001f}]/u

const texts = fc
  .array(fc.oneof(fc.constantFrom(...HIDDEN, ...CONDITIONAL, ...LONE, ...BLANKS), fc.string({ unit: 'binary' })), {
    maxLength: 30,
  })
  .map((pieces) => pieces.join(''))

test('cleaned text has no hidden characters or lone surrogates, and cleaning is idempotent', (t) => {
  fc.assert(
    fc.property(texts, (text) => {
      const cleaned = cleanText(text)
      t.notRegex(cleaned, FORBIDDEN)
      t.true(cleaned.isWellFormed())
      t.is(cleanText(cleaned), cleaned)
      t.is(cleanLine(cleanLine(text)), cleanLine(text))
    }),
    { numRuns: 3000 },
  )
})

test('every hidden character is removed', (t) => {
  for (const character of HIDDEN) t.is(cleanText(`pay${character}ment`).replace('\n', ''), 'payment')
})

test('emoji sequences, flags and the joiners of scripts are kept', (t) => {
  for (const text of [
    '👨‍👩‍👧‍👦',
    '👩🏽‍⚕️',
    '❤️‍🔥',
    '🏳️‍🌈',
    '🏴‍☠️',
    '1️⃣',
    '🇺🇸',
    '🏴󠁧󠁢󠁷󠁬󠁳󠁿',
    'می‌خواهم',
    'क्‍ष',
    'শ্‌ক',
    'ශ්‍රී',
    '葛󠄀',
    '☎︎',
  ]) {
    t.is(cleanText(`${text} ${text}`), `${text} ${text}`)
  }
})

test('unneeded joiners, selectors and tags are removed', (t) => {
  t.is(cleanText('pass\u200dword \u200cnow'), 'password now')
  t.is(cleanText('a\ufe00b\ufe01c\u{e0101}'), 'abc')
  t.is(cleanText('😀\ufe0f\ufe0e\ufe0f\u{e0101}'), '😀\ufe0f')
  t.is(cleanText('😀\u200d\u200d😀'), '😀😀')
  t.is(cleanText('🏴\u{e0068}\u{e0069} hi'), '🏴 hi')
})

test('line breaks are unified, and at most one empty line stays', (t) => {
  t.is(cleanText('\r\n\na \t \r\n\r\n \r\n\n\nb\rc\u2028d\u0085e\n\n'), 'a\n\nb\nc\nd\ne')
  t.is(cleanText('  indented stays\n\ttoo'), '  indented stays\n\ttoo')
  t.is(cleanLine(' two\n lines\t here '), 'two lines here')
})

test('of a long run of blanks nothing is lost but what nobody sees', (t) => {
  t.is(cleanText(`a${' '.repeat(500_000)}b`).length, 500_002)
  t.is(cleanText(`a${'\n'.repeat(500_000)}b`), 'a\n\nb')
})
