import { readFile, stat } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import test from 'ava'
import type { Stack } from './run-stack.ts'
import { environmentsFile } from './service-processes.ts'
import { services } from './services.ts'
import { startStack } from './stack.ts'

let stack: Stack

test.before(async () => {
  stack = await startStack({ processes: 'single' })
})
test.after.always(() => stack?.[Symbol.asyncDispose]())

test.serial('a single process runs every service on the same ports, and restarts after a crash', async (t) => {
  const pid = stack.pid('auth')
  for (const { name } of services) t.is(stack.pid(name), pid, name)
  const answersEverywhere = async () => {
    for (const [name, url] of Object.entries(stack.metricsUrls))
      t.is((await fetch(new URL('/livez', url))).status, 200, name)
    for (const url of [stack.baseUrl, stack.inboxUrl]) t.true((await fetch(url)).ok, url)
  }
  await answersEverywhere()

  stack.kill('inbox')
  await sleep(50)
  await stack.waitReady()
  t.not(stack.pid('auth'), pid)
  t.is(stack.deaths('gateway'), 1)
  await answersEverywhere()
})

test.serial(
  'the settings of a single process are in no command line, and only its owner may read their file',
  async (t) => {
    const file = environmentsFile(stack.dataDir)
    const { auth } = JSON.parse(await readFile(file, 'utf8'))
    t.is((await stat(file)).mode & 0o777, 0o600)
    const commandLine = await readFile(`/proc/${stack.pid('auth')}/cmdline`, 'utf8').catch(() => '')
    t.false(commandLine.includes(JSON.parse(auth.SERVICE_KEY).d))
    t.false((await readFile(stack.logs('auth'), 'utf8')).includes(JSON.parse(auth.SERVICE_KEY).d))
  },
)
