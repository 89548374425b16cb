import test from 'ava'
import { formatWait } from './format-wait.ts'

const waits: [number, string][] = [
  [0, '1 second'],
  [1, '1 second'],
  [45, '45 seconds'],
  [120, '2 minutes'],
  [121, '3 minutes'],
  [3600, '60 minutes'],
  [86_400, '24 hours'],
]
for (const [seconds, expected] of waits)
  test(`a wait of ${seconds} s is shown as ${expected}`, (t) => {
    t.is(formatWait(seconds), expected)
  })
