import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test from 'ava'
import { type ProcessEvent, restartDelay, supervise } from './supervise.ts'
import { waitFor } from './wait-for.ts'

const SLEEP = 'setInterval(() => {}, 1000)'
const STUBBORN = `process.on('SIGTERM', () => {}); console.log('up'); ${SLEEP}`

async function supervised(script: string) {
  const dir = await mkdtemp(join(tmpdir(), 'family-inbox-supervise-'))
  const happenings: ProcessEvent[] = []
  const logFile = join(dir, 'log')
  const command = { name: 'sleeper', file: process.execPath, args: ['-e', script], logFile }
  const child = supervise(command, (happening) => happenings.push(happening))
  return {
    process: child,
    happenings,
    log: () => readFile(logFile, 'utf8'),
    async [Symbol.asyncDispose]() {
      await child.stop({ signal: 'SIGKILL' })
      await rm(dir, { recursive: true })
    },
  }
}

function until(condition: () => boolean | Promise<boolean>) {
  return waitFor(async () => (await condition()) || undefined, { timeoutMs: 5000, timeout: () => new Error('never') })
}

function isAlive(pid = 0): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

test('a killed process restarts', async (t) => {
  await using it = await supervised(SLEEP)
  const first = it.process.pid
  it.process.kill('SIGKILL')
  await until(() => it.process.pid !== undefined && it.process.pid !== first)
  t.true(isAlive(it.process.pid))
  t.is(it.process.deaths, 1)
  t.like(it.happenings[1], { name: 'sleeper', died: 'SIGKILL', restartInMs: 100 })
})

test('a process that keeps failing restarts less and less often', async (t) => {
  await using it = await supervised('process.exit(3)')
  await until(() => it.process.deaths >= 3)
  t.deepEqual([1, 2, 3, 4].map(restartDelay), [100, 200, 400, 800])
  t.is(restartDelay(50), 5000)
})

test('a stopped process stays stopped', async (t) => {
  await using it = await supervised(SLEEP)
  const { pid } = it.process
  await it.process.stop()
  t.false(isAlive(pid))
  t.is(it.process.pid, undefined)
  t.is(it.process.deaths, 0)
})

test('a process that ignores the signal is killed after its grace period', async (t) => {
  await using it = await supervised(STUBBORN)
  await until(async () => (await it.log()).includes('up'))
  const { pid } = it.process
  await it.process.stop({ graceMs: 200 })
  t.false(isAlive(pid))
})

test('a paused process can be stopped', async (t) => {
  await using it = await supervised(SLEEP)
  const { pid } = it.process
  it.process.kill('SIGSTOP')
  await it.process.stop({ graceMs: 3_600_000 })
  t.false(isAlive(pid))
})

test('a forced stop does not wait for an earlier grace period', async (t) => {
  await using it = await supervised(STUBBORN)
  await until(async () => (await it.log()).includes('up'))
  const patient = it.process.stop({ graceMs: 60_000 })
  await it.process.stop({ signal: 'SIGKILL' })
  await patient
  t.is(it.process.pid, undefined)
})

test('a restart is not a death', async (t) => {
  await using it = await supervised(SLEEP)
  const first = it.process.pid
  await it.process.restart()
  t.not(it.process.pid, first)
  t.is(it.process.deaths, 0)
})

test('a process’s log continues across restarts', async (t) => {
  await using it = await supervised(`console.log('out'); console.error('err'); ${SLEEP}`)
  await until(async () => (await it.log()) === 'out\nerr\n')
  await it.process.restart()
  await until(async () => (await it.log()) === 'out\nerr\nout\nerr\n')
  t.pass()
})

test('a missing program is reported as a death, not a crash', async (t) => {
  const dir = await mkdtemp(join(tmpdir(), 'family-inbox-supervise-'))
  const happenings: ProcessEvent[] = []
  const command = { name: 'ghost', file: join(dir, 'not-there'), args: [], logFile: join(dir, 'log') }
  await using ghost = supervise(command, (happening) => happenings.push(happening))
  await until(() => ghost.deaths > 0)
  t.regex(JSON.stringify(happenings[0]), /ENOENT/)
  await ghost.stop()
  await rm(dir, { recursive: true })
})
