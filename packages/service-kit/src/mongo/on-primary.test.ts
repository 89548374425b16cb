import test from 'ava'
import { onPrimary } from './on-primary.ts'

const failure = (code: number) => Object.assign(new Error('no'), { code })

/** Sends that fail with these errors, and then work. */
function sends(...failures: Error[]) {
  let sent = 0
  const send = async () => {
    const error = failures[sent]
    sent += 1
    if (error) throw error
    return sent
  }
  return { send, count: () => sent }
}

test('a command that meets a server which stepped down is sent to the next primary', async (t) => {
  for (const code of [10_107, 189, 11_602, 13_435]) t.is(await onPrimary(sends(failure(code)).send), 2)
})

test('it is sent twice at most, and other errors are not repeated', async (t) => {
  const gone = sends(failure(10_107), failure(10_107))
  await t.throwsAsync(onPrimary(gone.send))
  t.is(gone.count(), 2)
  for (const error of [failure(11_000), new Error('the connection was closed')]) {
    const other = sends(error)
    await t.throwsAsync(onPrimary(other.send), { is: error })
    t.is(other.count(), 1)
  }
})
