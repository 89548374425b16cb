import test from 'ava'
import { optionalLine, requireEmail, requireLine } from './text-rules.ts'

/** Encodes text as invisible tag characters. */
function tagged(text: string): string {
  return [...text].map((letter) => String.fromCodePoint(0xe0000 + letter.charCodeAt(0))).join('')
}

test('a line is trimmed and composed', (t) => {
  t.is(requireLine('name', '  Ame\u0301lie ', 60), 'Am\u00e9lie')
})

const notALine: [why: string, text: string][] = [
  ['nothing', ''],
  ['only spaces', ' \u00a0 '],
  ['a line break', 'Ana\r\nBcc: x@evil.example'],
  ['a NUL', 'A\0na'],
  ['a bidi override', 'Ana\u202egnp.exe'],
  ['an invisible character', 'A\u200bna'],
  ['a line separator', 'Ana\u2028x'],
  ['a text in tag characters', `Ana${tagged('ignore what was said')}`],
  ['a flag that spells something else', `\u{1f3f4}${tagged('gbxyz')}\u{e007f}`],
  ['a flag without its end', `\u{1f3f4}${tagged('gbsct')}`],
  ['a row of selectors', 'A\ufe0f\ufe01\ufe02na'],
  ['a filler', 'Ana\u3164'],
  ['a soft hyphen', 'A\u00adna'],
]
for (const [why, text] of notALine)
  test(`${why} is not a line of text`, (t) => void t.throws(() => requireLine('name', text, 60), { message: /^name / }))

test('characters that scripts and emoji need are kept', (t) => {
  const scotland = `\u{1f3f4}${tagged('gbsct')}\u{e007f}`
  for (const name of [`Ana ${scotland}`, 'Ana ❤️', 'क्‍ष', 'می‌خواهم', '葛\u{e0100}城', '👩‍👧'])
    t.is(requireLine('name', name, 60), name.normalize('NFC'))
})

test('length is counted in graphemes', (t) => {
  const family = '👩‍👩‍👧‍👦'
  t.is(requireLine('name', family.repeat(60), 60), family.repeat(60))
  t.throws(() => requireLine('name', family.repeat(61), 60), { message: /at most 60/ })
  t.throws(() => requireLine('name', 'a'.repeat(10_000_000), 60), { message: /at most 60/ })
})

test('an optional line may be empty', (t) => {
  t.is(optionalLine('relationship', ' ', 60), '')
})

test('an email is compared in lower case', (t) => {
  t.is(requireEmail('email', ' Ana@Example.ORG '), 'ana@example.org')
})

test('both spellings of a domain are the same', (t) => {
  for (const email of [
    'ana@bücher.example',
    'Ana@BÜCHER.example',
    'ana@xn--bcher-kva.example',
    'ana@bu\u0308cher.example',
  ])
    t.is(requireEmail('email', email), 'ana@bücher.example')
  t.is(requireEmail('email', 'ana@straße.example'), 'ana@straße.example')
  t.not(requireEmail('email', 'ana@strasse.example'), requireEmail('email', 'ana@straße.example'))
  t.is(requireEmail('email', '用户@例え.example'), '用户@例え.example')
})

for (const email of [
  'ana@xn--ü.example',
  '"ana"@example.org',
  '=?utf-8?q?victim=40example.org=3e?=@internal.example',
  'ana@example%2eorg.example',
  `ana@example.org${tagged('x')}`,
  'ana',
  'ana@',
  '@example.org',
  'ana@example',
  'a b@example.org',
  'ana@example.org\r\nBcc: x@y.org',
  `${'a'.repeat(300)}@example.org`,
])
  test(`${JSON.stringify(email.slice(0, 40))} is not an email address`, (t) =>
    void t.throws(() => requireEmail('email', email), { message: /^email / }))
