import type { IncomingMessage } from 'node:http'
import test from 'ava'
import { type Client, clientOf, createRateLimit, type Outcome } from './rate-limit.ts'

const home: Client = { network: '203.0.113.9', credential: 'a session' }
const neighbor: Client = { network: '203.0.113.9', credential: 'another session' }
const stranger: Client = { network: '203.0.113.9', credential: undefined }

/** A clock under the test's control. */
function open() {
  let clock = 0
  const rateLimit = createRateLimit(() => clock)
  return {
    ...rateLimit,
    pass: (seconds: number) => {
      clock += seconds * 1000
    },
    /** Asks until it must wait, at most 10,000 times. @returns how often it was heard */
    askOften(client: Client, outcome: Outcome): number {
      let heard = 0
      for (; heard < 10_000 && rateLimit.secondsToWait(client) === 0; heard += 1) rateLimit.begin(client)(outcome)
      return heard
    },
  }
}

test('someone who is refused again and again is heard a hundred times, then five times in two seconds', (t) => {
  const { askOften, pass, secondsToWait } = open()
  t.is(askOften(stranger, 'wasted'), 100)
  t.is(secondsToWait(stranger), 1)
  pass(2)
  t.is(askOften(stranger, 'wasted'), 5)
  pass(60)
  t.is(askOften(stranger, 'wasted'), 100)
})

test('requests that are answered may come four times as often', (t) => {
  const { askOften, pass } = open()
  t.true(askOften(stranger, 'answered') >= 396)
  pass(1)
  t.is(askOften(stranger, 'answered'), 10)
})

test('a recognized person is heard a hundred times in vain, then five times in four seconds', (t) => {
  const { recognize, askOften, pass } = open()
  recognize(home)
  t.is(askOften(home, 'wasted'), 100)
  pass(4)
  t.is(askOften(home, 'wasted'), 5)
  pass(600)
  t.true(askOften(home, 'answered') >= 390)
})

test('forty requests may be under way at once', (t) => {
  const { begin, secondsToWait } = open()
  const ends = []
  while (secondsToWait(stranger) === 0) ends.push(begin(stranger))
  t.is(ends.length, 40)
  for (const end of ends) end('answered')
  t.is(secondsToWait(stranger), 0)
})

test('an attacker in the same network does not use up what a signed-in person may ask', (t) => {
  const { recognize, askOften, secondsToWait } = open()
  recognize(home)
  askOften(stranger, 'wasted')
  t.true(secondsToWait(neighbor) > 0)
  t.is(secondsToWait(home), 0)
  askOften(home, 'wasted')
  t.true(secondsToWait(home) > 0)
})

test('a made-up credential counts for its network', (t) => {
  const { askOften, secondsToWait } = open()
  t.is(askOften({ ...stranger, credential: 'made up' }, 'wasted'), 100)
  t.true(secondsToWait({ ...stranger, credential: 'made up, too' }) > 0)
  t.is(secondsToWait({ ...stranger, network: '203.0.113.10' }), 0)
})

test('a credential accepted again keeps its debt', (t) => {
  const { recognize, askOften, secondsToWait } = open()
  recognize(home)
  askOften(home, 'wasted')
  recognize(home)
  t.true(secondsToWait(home) > 0)
})

test('requests of this machine itself are not limited, unless a proxy on it sends them', (t) => {
  const from = (remoteAddress: string, localAddress: string) =>
    ({ socket: { remoteAddress, localAddress }, headers: {} }) as unknown as IncomingMessage
  t.is(clientOf(from('127.0.0.1', '127.0.0.1'), 0), undefined)
  t.deepEqual(clientOf(from('127.0.0.2', '127.0.0.1'), 0), { network: '127.0.0.2', credential: undefined })
  t.deepEqual(clientOf(from('127.0.0.1', '127.0.0.1'), 1), { network: '127.0.0.1', credential: undefined })
})
