import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import test from 'ava'
import { readCareContext } from './care-context.ts'

test('2,000 characters pass and 2,001 do not, as a person counts them', (t) => {
  for (const character of ['x', 'é', '漢', '👩‍👩‍👧‍👦', 'e\u0323\u0301']) {
    t.notThrows(() => readCareContext(character.repeat(2000)), character)
    const error = t.throws(() => readCareContext(character.repeat(2001)), { instanceOf: StatusError }, character)
    t.is(error?.detail.field, 'careContext')
  }
})

test('paragraphs, tabs, markup and right-to-left scripts stay unchanged', (t) => {
  const text = 'First.\n\n\t- <b>second</b>\nשלום \u200fعليكم'
  t.is(readCareContext(`  ${text}\n`), text)
  t.is(readCareContext('one\r\ntwo\rthree\u2028four'), 'one\ntwo\nthree\nfour')
})

test('control characters and direction overrides are refused', (t) => {
  for (const character of ['\0', '\u0007', '\u001b', '\u007f', '\u0085', '\u202e', '\u2066'])
    t.throws(() => readCareContext(`a${character}b`), { message: 'careContext must be plain text.' })
})
