import test from 'ava'
import { startQueue } from './queue.ts'

test('work leaves a queue in the order in which it came, and the longest wait is that of the oldest', (t) => {
  const queue = startQueue()
  t.is(queue.step(0, 100, 40), 40)
  t.is(queue.longest, 1)
  t.is(queue.step(1, 10, 40), 40)
  t.is(queue.longest, 2)
  t.is(queue.step(2, 0, 40), 30)
  t.is(queue.step(3, 0, 40), 0)
  t.is(queue.longest, 2)
})

test('what is done within its minute has not waited', (t) => {
  const queue = startQueue()
  for (let minute = 0; minute < 5; minute += 1) t.is(queue.step(minute, 7, 7), 7)
  t.is(queue.longest, 0)
})
