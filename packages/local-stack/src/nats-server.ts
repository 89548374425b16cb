import { mkdirSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { poll } from './poll.ts'
import { type Supervised, supervise, type Watcher } from './supervise.ts'

const READY_MS = 30_000

export type NatsServerOptions = {
  readonly binary: string
  readonly dir: string
  readonly port: number
  readonly logFile: string
  /** The block `authorization` of the configuration (`natsUsersConf`); without it anyone may do anything. */
  readonly users?: string
  readonly watch?: Watcher
}

export type RunningNatsServer = AsyncDisposable & {
  readonly url: string
  readonly process: Supervised
  /** Replaces the users while the server runs; whoever is no longer one of them is disconnected. */
  setUsers(users: string): void
}

/**
 * Starts nats-server on 127.0.0.1 with JetStream on disk and resolves when it accepts clients. The streams in `dir` are kept.
 * @throws when nats-server does not stay up on this folder
 */
export async function startNatsServer(options: NatsServerOptions): Promise<RunningNatsServer> {
  const process = superviseNatsServer(options)
  try {
    await natsServerReady(process, options.port)
  } catch (error) {
    await process.stop({ signal: 'SIGKILL' })
    throw error
  }
  const setUsers = (users: string) => {
    writeConfig({ ...options, users })
    process.kill('SIGHUP')
  }
  return { url: natsServerUrl(options.port), process, setUsers, [Symbol.asyncDispose]: () => process.stop() }
}

/** Starts the process and does not wait for it. */
export function superviseNatsServer(options: NatsServerOptions): Supervised {
  const { binary: file, logFile, watch } = options
  return supervise({ name: 'nats-server', file, args: ['--config', writeConfig(options)], logFile }, watch)
}

function writeConfig(options: NatsServerOptions): string {
  const file = join(options.dir, 'nats-server.conf')
  mkdirSync(options.dir, { recursive: true })
  writeFileSync(file, configOf(options))
  return file
}

/** Resolves when the process accepts clients and JetStream is on. */
export async function natsServerReady(process: Supervised, port: number): Promise<void> {
  await poll(async () => (await greets(port)) || failIfDown(process), {
    timeoutMs: READY_MS,
    timeout: () => new Error(`nats-server does not answer after ${READY_MS / 1000} s; see ${process.logFile}`),
  })
}

/** What clients of a nats-server on this port connect to. */
export function natsServerUrl(port: number): string {
  return `nats://127.0.0.1:${port}`
}

/** The configuration file. `sync_interval: always` means: acknowledged only once the message is on disk. */
function configOf({ dir, port, users = '' }: NatsServerOptions): string {
  return `listen: "127.0.0.1:${port}"
max_payload: 8MB
jetstream {
  store_dir: ${JSON.stringify(dir)}
  sync_interval: always
  max_memory_store: 64MB
  max_file_store: 10GB
}
${users}`
}

/** Whether the server greets a client and says that JetStream is on (its first line is INFO and a JSON object). */
function greets(port: number): Promise<true | undefined> {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port, timeout: 1000 })
    const end = (greeting: string) => {
      socket.destroy()
      resolve(/^INFO .*"jetstream":\s*true/.test(greeting) || undefined)
    }
    socket.once('data', (data) => end(data.toString()))
    socket.once('timeout', () => end(''))
    socket.once('error', () => end(''))
  })
}

function failIfDown(process: Supervised): undefined {
  if (process.stopped) throw new Error('nats-server was stopped')
  if (process.deaths >= 3) throw new Error(`nats-server does not stay up; see ${process.logFile}`)
}
