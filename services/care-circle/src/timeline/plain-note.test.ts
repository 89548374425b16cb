import test from 'ava'
import fc from 'fast-check'
import { plainLine, plainText } from './plain-note.ts'

const shown: [written: string, shown: string][] = [
  ['Ate well.\nSlept <8 hours, BP < 120 & > 80', 'Ate well.\nSlept <8 hours, BP < 120 & > 80'],
  ['<p>Ate <b>well</b>.</p><p>Slept.<br/>Late.</p>', 'Ate well.\nSlept.\nLate.'],
  ['<script>alert(1)</script>Walked<style>p{}', 'Walked'],
  ['<SCRIPT src=//evil.example>alert(1)</SCRIPT >Walked', 'Walked'],
  ['Walked<!-- 5 > 4 --> far', 'Walked far'],
  ['<<b>script>alert(1)</<b>script>', '< script>alert(1)< /script>'],
  ['<img src=x onerror=alert(1)', '< img src=x onerror=alert(1)'],
  ['temp <normal, ask <maria@agency.example>', 'temp < normal, ask < maria@agency.example>'],
  ['\u202eevil\u200b\u0000 note\u2066', 'evil note'],
  ['Água para a avó 👩‍⚕️ — ३ बार', 'Água para a avó 👩‍⚕️ — ३ बार'],
  ['  one\r\n\r\n\r\n\r\ntwo  ', '  one\n\ntwo'],
]
for (const [written, expected] of shown) {
  test(`${JSON.stringify(written)} is shown as ${JSON.stringify(expected)}`, (t) => {
    t.is(plainText(written, 500), expected)
  })
}

test('a long text is cut between characters and ends in an ellipsis', (t) => {
  t.is(plainText('The family is here', 10), 'The famil…')
  t.is(plainText('exactly 10', 10), 'exactly 10')
  t.is(plainText('👩‍⚕️👩‍⚕️', 8), '👩‍⚕️…')
})

test('a line stays one line', (t) => {
  t.is(plainLine(' Kitchen,\n<br>first\tfloor ', 100), 'Kitchen, first floor')
})

const pieces = [
  '<',
  '>',
  '</',
  '<b>',
  '<script',
  '<!--',
  '-->',
  ' ',
  '\n',
  'a',
  '\u202e',
  '\u200d',
  '\u{e0041}',
  '👩',
  '…',
  'क',
]
const strange = fc.oneof(
  fc.array(fc.constantFrom(...pieces), { maxLength: 60 }).map((parts) => parts.join('')),
  fc.string({ unit: 'binary', maxLength: 80 }),
)

test('any text loses markup, control, bidi and invisible characters, and is short enough', (t) => {
  fc.assert(
    fc.property(strange, fc.integer({ min: 10, max: 60 }), (written, max) => {
      const text = plainText(written, max)
      t.true(text.length <= max)
      t.notRegex(text, /<[a-z/!?]/i)
      t.notRegex(text, /[[\p{Cc}\u200b\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff\u{e0000}-\u{e007f}]--[\n\t]]/v)
      t.true(text.isWellFormed())
      t.is(plainText(text, max), text)
    }),
    { numRuns: 3000 },
  )
})

test('a hostile text of 250 KB stays within the limit', (t) => {
  for (const piece of ['<b', '<', '<!--', '<script>', '<a href="', '<b>'.repeat(3), ' ', '\u202e']) {
    t.true(plainText(piece.repeat(250_000 / piece.length), 2000).length <= 2000, JSON.stringify(piece))
  }
})
