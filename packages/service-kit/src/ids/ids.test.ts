import test from 'ava'
import { newId, randomText } from './ids.ts'

test('ids have their prefix and 26 characters that nobody mistakes, and never repeat', (t) => {
  const ids = Array.from({ length: 10_000 }, () => newId('call'))
  for (const id of ids) t.regex(id, /^call_[0-9a-hjkmnp-tv-z]{26}$/)
  t.is(new Set(ids).size, ids.length)
})

test('a random text is as long as asked, however long', (t) => {
  for (const length of [0, 1, 26, 4096, 5000]) t.is(randomText(length).length, length)
})
