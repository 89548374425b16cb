import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import test from 'ava'
import { createSaveLimit } from './save-limit.ts'

test('someone who types in two windows is not limited, a program is, and others are not', (t) => {
  let now = 0
  const limit = createSaveLimit(() => now)
  for (let save = 0; save < 24; save += 1) limit.spend('per_ana')
  const error = t.throws(() => limit.spend('per_ana'), { instanceOf: StatusError })
  t.is(error?.detail.retryAfterSec, 10)
  t.notThrows(() => limit.spend('per_tom'))
  now = 10_000
  t.notThrows(() => limit.spend('per_ana'))
})
