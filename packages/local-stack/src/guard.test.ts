import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import test from 'ava'
import { poll } from './poll.ts'
import { isRunning } from './process-list.ts'

// A process that has a child, asks the guard to protect it, and then waits to be killed.
const PARENT = `
  import { spawn } from 'node:child_process'
  import { startGuard } from '${join(import.meta.dirname, 'guard.ts')}'
  const child = spawn('sleep', ['300.125'], { detached: true, stdio: 'ignore' })
  const guard = startGuard()
  guard.protect([child.pid])
  if (process.argv[1] === 'dismiss') guard.dismiss()
  console.log(child.pid)
  setInterval(() => {}, 1000)
`

async function parentOf(...args: string[]) {
  const parent = spawn(process.execPath, ['--input-type=module', '-e', PARENT, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [line] = await once(parent.stdout, 'data')
  return { parent, child: { pid: Number(line), mark: 'sleep 300.125' } }
}

test('what a killed process has started is ended', async (t) => {
  const { parent, child } = await parentOf()
  t.true(await isRunning(child))
  parent.kill('SIGKILL')
  const gone = async () => ((await isRunning(child)) ? undefined : true)
  t.true(await poll(gone, { timeoutMs: 4000, timeout: () => new Error('it still runs') }))
})

test('a guard that was dismissed ends nothing', async (t) => {
  const { parent, child } = await parentOf('dismiss')
  parent.kill('SIGKILL')
  await once(parent, 'exit')
  await new Promise((resolve) => setTimeout(resolve, 500))
  t.true(await isRunning(child))
  process.kill(child.pid)
})
