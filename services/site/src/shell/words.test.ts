import test from 'ava'
import { initialsOf } from './parts.ts'
import { scopeWords } from './permissions.ts'

const initials: [string, string][] = [
  ['Rosa Martin', 'RM'],
  ['Mum', 'M'],
  ['João da Silva Pereira', 'JP'],
  ['  ana  ', 'A'],
  ['李伟', '李'],
  ['e\u0301mile zola', 'E\u0301Z'],
  ['', ''],
]
for (const [name, expected] of initials)
  test(`the initials of ${JSON.stringify(name)} are ${JSON.stringify(expected)}`, (t) => {
    t.is(initialsOf(name), expected)
  })

test('an unknown scope is shown, not hidden', (t) => {
  t.is(scopeWords('everything').text, '“everything”')
  t.is(scopeWords('care_circle:write').kind, 'write')
})

test('a scope named like an object property is unknown', (t) => {
  t.is(scopeWords('constructor').text, '“constructor”')
})
