import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import test from 'ava'
import { isRunning } from './process-list.ts'
import { waitFor } from './wait-for.ts'

// Starts a child, asks the reaper to watch it, and waits to be killed.
const PARENT = `
  import { spawn } from 'node:child_process'
  import { startReaper } from '${join(import.meta.dirname, 'reaper.ts')}'
  const child = spawn('sleep', ['300.125'], { detached: true, stdio: 'ignore' })
  const reaper = startReaper()
  reaper.watch([child.pid])
  if (process.argv[1] === 'dismiss') reaper.dismiss()
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

test('the children of a killed process are ended', async (t) => {
  const { parent, child } = await parentOf()
  t.true(await isRunning(child))
  parent.kill('SIGKILL')
  const gone = async () => ((await isRunning(child)) ? undefined : true)
  t.true(await waitFor(gone, { timeoutMs: 4000, timeout: () => new Error('still running') }))
})

test('a dismissed reaper ends nothing', async (t) => {
  const { parent, child } = await parentOf('dismiss')
  parent.kill('SIGKILL')
  await once(parent, 'exit')
  await new Promise((resolve) => setTimeout(resolve, 500))
  t.true(await isRunning(child))
  process.kill(child.pid)
})
