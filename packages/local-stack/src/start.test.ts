import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readEnvironment } from '@family-inbox/service-kit/config/config'
import test from 'ava'
import { freePort } from './free-port.ts'
import { isRunning } from './process-list.ts'
import { isReady } from './ready.ts'
import { services } from './services.ts'
import { readStackFile, type StackFile } from './stack-file.ts'
import { waitFor } from './wait-for.ts'

const START = join(import.meta.dirname, 'start.ts')

/** A shell with a data folder and settings to run `npm start` in. */
async function withShell() {
  const dir = await mkdtemp(join(tmpdir(), 'family-inbox-start-'))
  const [base, api, inbox, smtp] = [await freePort(), await freePort(), await freePort(), await freePort()]
  const settings = {
    DATA_DIR: join(dir, 'data'),
    BASE_URL: `http://localhost:${base}`,
    API_URL: `http://localhost:${api}`,
    INBOX_URL: `http://localhost:${inbox}`,
    SMTP_PORT: `${smtp}`,
    PROCESSES: 'seven',
  }
  const started: Start[] = []
  return {
    dataDir: settings.DATA_DIR,
    ports: { base, api, inbox, smtp },
    start(more: Record<string, string> = {}, ...args: string[]) {
      started.push(new Start({ ...readEnvironment(), ...settings, ...more }, args))
      return started.at(-1) as Start
    },
    async [Symbol.asyncDispose]() {
      for (const start of started) await start.end()
      await rm(dir, { recursive: true, force: true })
    },
  }
}

class Start {
  output = ''
  readonly process
  readonly exit: Promise<number | null>

  constructor(env: NodeJS.ProcessEnv, args: string[]) {
    this.process = spawn(process.execPath, [START, ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] })
    this.process.stdout.on('data', (chunk) => {
      this.output += chunk
    })
    this.process.stderr.on('data', (chunk) => {
      this.output += chunk
    })
    this.exit = once(this.process, 'close').then(([code]) => code)
  }

  async ready() {
    await waitFor(async () => /^ready in /m.test(this.output) || (this.process.exitCode !== null ? false : undefined), {
      timeoutMs: 60_000,
      timeout: () => new Error(`not ready:\n${this.output}`),
    })
    if (this.process.exitCode !== null) throw new Error(`it ended:\n${this.output}`)
  }

  async end() {
    this.process.kill('SIGTERM')
    await this.exit
  }
}

function until(condition: () => Promise<boolean>) {
  const check = async () => (await condition()) || undefined
  return waitFor(check, { timeoutMs: 20_000, everyMs: 50, timeout: () => new Error('condition never met') })
}

async function runningOf(file: StackFile | undefined) {
  const processes = Object.values(file?.processes ?? {})
  const running = await Promise.all(processes.map(isRunning))
  return running.filter(Boolean).length
}

async function processNames() {
  return Object.keys((await readStackFile(shell.dataDir))?.processes ?? {}).sort()
}

const signInLine = ({ output }: Start) => /Sign in as .*/.exec(output)?.[0]

/** Calls the tool the way the printed curl line does. */
async function callTool(port: number, output: string) {
  const key = /sk-sand-\w+/.exec(output)?.[0]
  const body = /-d '(.*)'/.exec(output)?.[1] ?? ''
  const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' }
  const response = await fetch(`http://localhost:${port}/mcp/v1`, { method: 'POST', headers, body })
  return { status: response.status, text: await response.text() }
}

const shell = await withShell()
const first = shell.start()
let running = first

test.before(() => running.ready())
test.after.always(() => shell[Symbol.asyncDispose]())

test.serial('the key from the first start reads the demo mail', async (t) => {
  const { status, text } = await callTool(shell.ports.api, running.output)
  t.is(status, 200)
  t.regex(text, /Appointment/)
})

test.serial('the printed address can sign in, and its code is printed', async (t) => {
  const email = /Sign in as +(\S+)/.exec(running.output)?.[1] ?? ''
  t.regex(email, /@almeida\.example$/)
  const origin = `http://localhost:${shell.ports.inbox}`
  const body = new URLSearchParams({ email })
  const sent = await fetch(`${origin}/sign-in`, { method: 'POST', headers: { origin }, body, redirect: 'manual' })
  t.is(sent.headers.get('location'), '/sign-in/code')
  await until(async () => new RegExp(`Sign-in code for ${email}: \\d{4} \\d{4}`).test(running.output))
})

test.serial('a second start fails with a clear line and does not disturb the first', async (t) => {
  const second = shell.start()
  t.is(await second.exit, 1)
  t.regex(second.output, new RegExp(`Already running on ${shell.dataDir} as process ${running.process.pid}: `))
  t.true(await isReady(shell.ports.base))
})

test.serial('an error about a port in use names its setting', async (t) => {
  const second = shell.start({ DATA_DIR: `${shell.dataDir}-2` })
  t.is(await second.exit, 1)
  t.regex(
    second.output,
    new RegExp(`Port ${shell.ports.base} is in use.*: stop what uses it, or set BASE_URL to another one\\.`),
  )
})

test.serial('npm start runs each service in a process of its own', async (t) => {
  t.deepEqual(await processNames(), [...services.map(({ name }) => name), 'mongod', 'nats-server'].sort())
})

test.serial('the operator’s key is in no file readable by others', async (t) => {
  const file = join(shell.dataDir, 'stack.json')
  t.true((await readFile(file, 'utf8')).includes('"d"'))
  t.is((await stat(file)).mode & 0o777, 0o600)
})

test.serial('a killed service restarts soon, and a line says so', async (t) => {
  const processOf = async () => (await readStackFile(shell.dataDir))?.processes['care-circle']
  const before = await processOf()
  process.kill(before?.pid ?? 0, 'SIGKILL')
  await until(async () => ((await processOf())?.pid ?? before?.pid) !== before?.pid)
  await until(() => isReady(shell.ports.base))
  t.regex(running.output, /care-circle exited \(SIGKILL\) and will restart\./)
})

test.serial('after Ctrl-C everything stops, and a new start waits for it and keeps the data', async (t) => {
  running.process.kill('SIGINT')
  const next = shell.start({}, '--single')
  t.is(await running.exit, 0)
  await next.ready()
  running = next
  t.notRegex(next.output, /sk-sand-/)
  t.is(signInLine(next), signInLine(first))
  t.is((await callTool(shell.ports.api, first.output)).status, 200)
})

test.serial('npm start -- --single runs all services in one process', async (t) => {
  t.true(await isReady(shell.ports.base))
  t.deepEqual(await processNames(), ['mongod', 'nats-server', 'services'])
})

test.serial('a killed start does not block the next one, which ends all it started', async (t) => {
  const left = await readStackFile(shell.dataDir)
  t.is(await runningOf(left), 3)
  running.process.kill('SIGKILL')
  await running.exit
  const next = shell.start({}, '--single')
  await next.ready()
  t.is(await runningOf(left), 0)
  const file = await readStackFile(shell.dataDir)
  t.is(await runningOf(file), 3)
  await next.end()
  t.is(await runningOf(file), 0)
  t.false(existsSync(join(shell.dataDir, 'stack.json')))
})
