import test from 'ava'
import { readDuration } from './secrets.ts'

test('a duration is a number with a unit', (t) => {
  t.deepEqual(['90s', '30m', '12h', '7d'].map(readDuration), [90, 1800, 43_200, 604_800])
  for (const text of ['', '7', 'd', '7 d', '-1d', '0d', '1.5h', '7D'])
    t.throws(() => readDuration(text), undefined, text)
})
