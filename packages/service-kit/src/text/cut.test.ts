import test from 'ava'
import fc from 'fast-check'
import { cut } from './cut.ts'

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' })
const PIECES = [
  'a',
  ' ',
  '\r\n',
  'é',
  'e\u0301',
  '你',
  '👨‍👩‍👧‍👦',
  '❤️',
  '🏳️‍🌈',
  '🇩🇪',
  '🏴󠁧󠁢󠁳󠁣󠁴󠁿',
  '1️⃣',
  'क्षि',
  'ห็',
  '각',
  '각',
  'می‌خ',
  '\u200d',
  '\u0600',
  '👋🏽',
  '\ud83d',
]

const texts = fc
  .array(fc.oneof(fc.constantFrom(...PIECES), fc.string({ unit: 'grapheme' })), { maxLength: 40 })
  .map((pieces) => pieces.join(''))

test('a cut text is the longest run of whole graphemes that fits', (t) => {
  fc.assert(
    fc.property(texts, fc.nat({ max: 120 }), (text, max) => {
      t.is(cut(text, max), wholeGraphemes(text, max))
    }),
    { numRuns: 2000 },
  )
})

test('a short text stays unchanged, and cutting is idempotent', (t) => {
  t.is(cut('family 👨‍👩‍👧', 280), 'family 👨‍👩‍👧')
  fc.assert(fc.property(texts, fc.nat({ max: 100 }), (text, max) => cut(cut(text, max), max) === cut(text, max)))
  t.pass()
})

test('neither a preview of 280 nor a body of 8000 splits the emoji at its end', (t) => {
  const family = '👨‍👩‍👧‍👦'
  for (const max of [280, 8000]) {
    for (let before = max - family.length - 1; before <= max; before += 1) {
      const text = 'x'.repeat(before)
      const fits = before + family.length <= max
      t.is(cut(`${text}${family} and more`, max), `${text}${fits ? `${family} ` : ''}`.slice(0, max))
    }
  }
})

test('a run of flags is cut between flags, however long it is', (t) => {
  t.is(cut('🇩🇪'.repeat(3000), 281), '🇩🇪'.repeat(70))
  t.is(cut(`x${'🇩🇪'.repeat(3000)}`, 280), `x${'🇩🇪'.repeat(69)}`)
})

test('one giant grapheme leaves nothing, not a part of it', (t) => {
  t.is(cut(`a${'\u0301'.repeat(100_000)}`, 280), '')
  t.is(cut(`Dear a${'\u0301'.repeat(100_000)}`, 280), 'Dear ')
})

test('the cost does not grow with the text', (t) => {
  const text = 'Ein langer Text. 你好 '.repeat(500_000)
  const before = process.threadCpuUsage()
  for (let run = 0; run < 200; run += 1) cut(text, 8000)
  t.true(process.threadCpuUsage(before).user < 3e6)
})

function wholeGraphemes(text: string, max: number): string {
  let end = 0
  for (const { index, segment } of graphemes.segment(text))
    if (index + segment.length <= max) end = index + segment.length
  return text.slice(0, end)
}
