import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import test from 'ava'
import { createWaitingRoom } from './waiting-room.ts'

test('as many wait as there are places, the next is told to come back, and a place that is left is free again', async (t) => {
  const admit = createWaitingRoom(2)
  const first = Promise.withResolvers<string>()
  const waiting = [admit(() => first.promise), admit(() => Promise.reject(new Error('failed')))]
  await t.throwsAsync(
    admit(() => Promise.resolve('in')),
    { instanceOf: StatusError, message: /Try again/ },
  )
  await t.throwsAsync(waiting[1] ?? Promise.resolve(), { message: 'failed' })
  t.is(await admit(() => Promise.resolve('in')), 'in')
  first.resolve('done')
  t.is(await waiting[0], 'done')
})
