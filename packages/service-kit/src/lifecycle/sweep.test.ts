import { mock } from 'node:test'
import test, { type ExecutionContext } from 'ava'
import { createLogger } from '../observability/logger.ts'
import { createWake, type Sweep, startSweeper, wakeAllSweepers } from './sweep.ts'

const logger = createLogger('test', 'error')
const PAUSE_MS = 10_000
const START = Date.UTC(2026, 4, 12)

test.beforeEach(() => mock.timers.enable({ apis: ['setTimeout', 'Date'], now: START }))
test.afterEach.always(() => mock.timers.reset())

/** A sweeper with a clock that only `pass` moves. */
function start(t: ExecutionContext, options: Partial<Sweep>) {
  const rounds: number[] = []
  const wake = createWake()
  const sweeper = startSweeper({
    pauseMs: PAUSE_MS,
    failureMessage: 'failed',
    logger,
    wake,
    ...options,
    async sweep(signal) {
      rounds.push(Date.now() - START)
      return (await options.sweep?.(signal)) ?? false
    },
  })
  t.teardown(() => sweeper[Symbol.asyncDispose]())
  return { rounds, wake, sweeper }
}

async function pass(ms: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += 50) {
    await settle()
    mock.timers.tick(Math.min(50, ms - passed))
  }
  await settle()
}

async function settle(): Promise<void> {
  for (let turn = 0; turn < 5; turn += 1) await new Promise(setImmediate)
}

test.serial('it sweeps at its start, then after each pause', async (t) => {
  const { rounds } = start(t, {})
  await pass(2 * PAUSE_MS)
  t.deepEqual(rounds, [0, PAUSE_MS, 2 * PAUSE_MS])
})

test.serial('it repeats without a pause while there is more', async (t) => {
  let left = 3
  const { rounds } = start(t, { sweep: async () => --left > 0 })
  await pass(1000)
  t.deepEqual(rounds, [0, 0, 0])
})

test.serial('waking it starts a round; waking it often starts few', async (t) => {
  const { rounds, wake } = start(t, {})
  await pass(1000)
  wake()
  await settle()
  t.deepEqual(rounds, [0, 1000])
  for (let nth = 0; nth < 100; nth += 1) wake()
  await pass(1000)
  t.deepEqual(rounds, [0, 1000, 1100])
})

test.serial('all sweepers can be woken together, until they are stopped', async (t) => {
  const [first, second] = [start(t, {}), start(t, {})]
  await pass(1000)
  wakeAllSweepers()
  await settle()
  await second.sweeper[Symbol.asyncDispose]()
  await pass(1000)
  wakeAllSweepers()
  await settle()
  t.deepEqual({ first: first.rounds, second: second.rounds }, { first: [0, 1000, 2000], second: [0, 1000] })
})

test.serial('what is written during a round is found by the next', async (t) => {
  const { promise: written, resolve: write } = Promise.withResolvers<void>()
  const { rounds, wake } = start(t, { sweep: () => written.then(() => false) })
  await pass(500)
  wake()
  write()
  await pass(500)
  t.deepEqual(rounds, [0, 600])
})

test.serial('it sleeps until the next work is due, to the moment, and asks again after each pause', async (t) => {
  let dueAt: Date | undefined = new Date(START + 25_000)
  let questions = 0
  const { rounds } = start(t, {
    dueAt: async () => {
      questions += 1
      return dueAt
    },
    async sweep() {
      dueAt = undefined
      return false
    },
  })
  await pass(24_950)
  t.deepEqual({ rounds, questions }, { rounds: [], questions: 3 })
  await pass(50)
  t.deepEqual({ rounds, questions }, { rounds: [25_000], questions: 5 })
})

test.serial('a write that wakes it moves the next round forward', async (t) => {
  let dueAt: Date | undefined
  const { rounds, wake } = start(t, {
    dueAt: async () => dueAt,
    async sweep() {
      dueAt = undefined
      return false
    },
  })
  await pass(1000)
  dueAt = new Date(START + 3000)
  wake()
  await pass(5000)
  t.deepEqual(rounds, [3000])
})

test.serial('a write that woke nobody is found within the pause', async (t) => {
  let dueAt: Date | undefined
  const { rounds } = start(t, { dueAt: async () => dueAt })
  await pass(1000)
  dueAt = new Date(START)
  await pass(PAUSE_MS - 1000)
  t.deepEqual(rounds, [PAUSE_MS])
})

test.serial('what cannot be handled is tried again soon, but not without a pause', async (t) => {
  const { rounds } = start(t, { dueAt: async () => new Date(0) })
  await pass(4000)
  t.deepEqual(rounds, [0, 2000, 4000])
})

test.serial('after a failure it retries soon, however often it is woken', async (t) => {
  let failures = 2
  const { rounds, wake } = start(t, {
    async sweep() {
      if (failures-- > 0) throw new Error('away')
      return false
    },
  })
  for (let nth = 0; nth < 35; nth += 1) {
    await pass(100)
    wake()
  }
  await pass(2000)
  t.deepEqual(rounds.slice(0, 3), [0, 2000, 4000])
})

test.serial('a failed question is a failure as well', async (t) => {
  let failures = 1
  const { rounds } = start(t, {
    async dueAt() {
      if (failures-- > 0) throw new Error('away')
      return new Date(0)
    },
  })
  await pass(2000)
  t.deepEqual(rounds, [2000])
})

test.serial('disposing ends the pause, and waits for a round', async (t) => {
  const { promise: finished, resolve: finish } = Promise.withResolvers<void>()
  const { sweeper, wake } = start(t, { sweep: () => finished.then(() => true) })
  await settle()
  let isDisposed = false
  const disposed = sweeper[Symbol.asyncDispose]().then(() => {
    isDisposed = true
  })
  await settle()
  t.false(isDisposed)
  finish()
  await disposed
  wake()
  await settle()
  t.pass()
})
