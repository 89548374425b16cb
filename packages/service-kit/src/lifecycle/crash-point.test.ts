import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import test from 'ava'
import { armCrashPoint, crashLine, declareCrashPoints } from './crash-point.ts'

const LOCAL = ['127.0.0.1', 'localhost']

declareCrashPoints(['step-stored', 'step-queued'])

/** Reaches two points in a process that gets this environment. */
function run(env: object) {
  const module = JSON.stringify(join(import.meta.dirname, 'crash-point.ts'))
  const script = `
    import { armCrashPoint, declareCrashPoints } from ${module}
    const crashPoint = declareCrashPoints(['step-stored', 'step-queued'])
    armCrashPoint(process.env, ['127.0.0.1'])
    process.on('exit', () => console.log('tidied up'))
    crashPoint('step-stored')
    console.log('stored')
    crashPoint('step-queued')
    console.log('queued')`
  return spawnSync(process.execPath, ['--input-type=module', '-e', script], { env: { ...process.env, ...env } })
}

test('a process ends at once at the point it is armed for, and says so', (t) => {
  const { signal, stdout, stderr } = run({ CRASH_AT: 'step-queued' })
  t.is(signal, 'SIGKILL')
  t.is(`${stdout}`, 'stored\n')
  t.is(`${stderr}`, `${crashLine('step-queued')}\n`)
})

test('without the setting, a process passes every point', (t) => {
  const { status, stdout } = run({ CRASH_AT: '' })
  t.is(status, 0)
  t.is(`${stdout}`, 'stored\nqueued\ntidied up\n')
})

test('an unknown point is refused', (t) => {
  t.throws(() => armCrashPoint({ CRASH_AT: 'step-strored' }, LOCAL), {
    name: 'ConfigError',
    message: /CRASH_AT is wrong/,
  })
})

test('a process that others reach refuses every point', (t) => {
  for (const host of ['0.0.0.0', '10.0.0.7', '::', 'auth.internal'])
    t.throws(
      () => armCrashPoint({ CRASH_AT: 'step-stored' }, ['127.0.0.1', host]),
      { message: /must not be set/ },
      host,
    )
})
