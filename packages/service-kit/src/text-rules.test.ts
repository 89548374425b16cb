import test from 'ava'
import { optionalLine, requireEmail, requireLine } from './text-rules.ts'

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
]
for (const [why, text] of notALine)
  test(`${why} is not a line of text`, (t) => void t.throws(() => requireLine('name', text, 60), { message: /^name / }))

test('length is counted in characters a person sees', (t) => {
  const family = '👩‍👩‍👧‍👦'
  t.is(requireLine('name', family.repeat(60), 60), family.repeat(60))
  t.throws(() => requireLine('name', family.repeat(61), 60), { message: /at most 60/ })
  t.throws(() => requireLine('name', 'a'.repeat(10_000_000), 60), { message: /at most 60/ })
})

test('what may be left out may be left out', (t) => {
  t.is(optionalLine('relationship', ' ', 60), '')
})

test('an email is compared in lower case', (t) => {
  t.is(requireEmail('email', ' Ana@Example.ORG '), 'ana@example.org')
})

for (const email of [
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
