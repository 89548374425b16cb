import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import test from 'ava'
import { limitConcurrency } from './start-workspace.ts'

test('calls up to the limit run, the next one is refused, and a finished call frees its slot', async (t) => {
  const limit = limitConcurrency(2)
  const first = Promise.withResolvers<string>()
  const waiting = [limit(() => first.promise), limit(() => Promise.reject(new Error('failed')))]
  await t.throwsAsync(
    limit(() => Promise.resolve('in')),
    { instanceOf: StatusError, message: /Try again/ },
  )
  await t.throwsAsync(waiting[1] ?? Promise.resolve(), { message: 'failed' })
  t.is(await limit(() => Promise.resolve('in')), 'in')
  first.resolve('done')
  t.is(await waiting[0], 'done')
})
