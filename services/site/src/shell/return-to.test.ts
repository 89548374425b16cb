import test from 'ava'
import { safeReturnTo, signInAgain, withReturnTo } from './return-to.ts'

for (const path of [
  '/',
  '/consent/V1StGXR8_Z5jdHi6B-myT',
  '/invitation/tok_0123abc',
  '/onboarding',
  '/onboarding/ws_0123abc',
  '/appointments/apt_0123abc',
])
  test(`a sign-in can return to ${path}`, (t) => {
    t.is(safeReturnTo(path), path)
  })

const elsewhere = [
  'https://evil.example/',
  '//evil.example',
  '///evil.example',
  '/\\evil.example',
  '\\\\evil.example',
  '/consent/../..//evil.example',
  '/consent/a/../../evil',
  '/consent/%2e%2e',
  '/consent/a?next=//evil.example',
  '/consent/a#x',
  '/consent/a\n',
  '/consent/a\r\nSet-Cookie: x=1',
  '/consent/',
  '/consent/а', // a Cyrillic letter
  '/.',
  '/sign-out',
  '/@evil.example',
  'javascript:alert(1)',
  ' /',
  '/ ',
  '',
  `/consent/${'a'.repeat(129)}`,
]
for (const path of elsewhere)
  test(`a sign-in cannot return to ${JSON.stringify(path.slice(0, 40))}`, (t) => {
    t.is(safeReturnTo(path), '/')
  })

test('the sign-in address contains the return path unless it is the home page', (t) => {
  t.is(withReturnTo('/sign-in', '/'), '/sign-in')
  t.is(withReturnTo('/sign-in', '/consent/a'), '/sign-in?return_to=%2Fconsent%2Fa')
  t.is(signInAgain('/consent/a'), '/sign-in?again=1&return_to=%2Fconsent%2Fa')
})
