import test from 'ava'
import { quantile, shuffled, spreadOf } from './statistics.ts'

test('the median is the middle value, or the mean of the two middle values', (t) => {
  t.deepEqual(spreadOf([9, 1, 5]), { median: 5, min: 1, max: 9 })
  t.deepEqual(spreadOf([4, 1, 2, 3]), { median: 2.5, min: 1, max: 4 })
})

test('of 101 latencies from 0 to 100 ms, 99% are below 99 ms', (t) => {
  const latencies = Float64Array.from({ length: 101 }, (_, index) => index)
  t.is(quantile(latencies, 0.99), 99)
})

test('shuffling keeps every item', (t) => {
  t.deepEqual(shuffled([1, 2, 3, 4, 5]).sort(), [1, 2, 3, 4, 5])
})
