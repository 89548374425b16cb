import { mkdirSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { type Supervised, supervise, type Watcher } from './supervise.ts'
import { waitFor } from './wait-for.ts'

const READY_MS = 30_000

export type NatsServerOptions = {
  readonly binary: string
  readonly dir: string
  readonly port: number
  readonly logFile: string
  /** The `authorization` block (`natsUsersConf`); without it anyone may do anything. */
  readonly users?: string
  readonly cluster?: NatsCluster
  /** Default: `nats-server`. */
  readonly name?: string
  readonly watch?: Watcher
}

/** Where a server listens to the others, and where it reaches them. */
export type NatsCluster = { readonly port: number; readonly routes: readonly number[] }

export type RunningNatsServer = AsyncDisposable & {
  readonly url: string
  readonly process: Supervised
  /** Replaces the users at runtime and disconnects those no longer listed. */
  setUsers(users: string): void
}

/** Starts nats-server with JetStream on disk; resolves when it accepts clients. @throws when it keeps exiting */
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
  return { url: natsServerUrl([options.port]), process, setUsers, [Symbol.asyncDispose]: () => process.stop() }
}

export function superviseNatsServer(options: NatsServerOptions): Supervised {
  const { name = 'nats-server', binary: file, logFile, watch } = options
  return supervise({ name, file, args: ['--config', writeConfig(options)], logFile }, watch)
}

function writeConfig(options: NatsServerOptions): string {
  const file = join(options.dir, 'nats-server.conf')
  mkdirSync(options.dir, { recursive: true })
  writeFileSync(file, configOf(options))
  return file
}

export async function natsServerReady(process: Supervised, port: number): Promise<void> {
  await waitFor(async () => (await greets(port)) || failIfDown(process), {
    timeoutMs: READY_MS,
    timeout: () => new Error(`nats-server does not respond after ${READY_MS / 1000} s; see ${process.logFile}`),
  })
}

export function natsServerUrl(ports: readonly number[]): string {
  return ports.map((port) => `nats://127.0.0.1:${port}`).join()
}

/** `sync_interval: always`: a message is acknowledged only once it is on disk. */
function configOf({ dir, port, users = '', name = 'nats-server', cluster }: NatsServerOptions): string {
  return `listen: "127.0.0.1:${port}"
max_payload: 8MB
jetstream {
  store_dir: ${JSON.stringify(dir)}
  sync_interval: always
  max_memory_store: 64MB
  max_file_store: 10GB
}
${cluster ? clusterConf(name, cluster) : ''}${users}`
}

function clusterConf(name: string, { port, routes }: NatsCluster): string {
  const addresses = routes.map((route) => JSON.stringify(`nats-route://127.0.0.1:${route}`))
  return `server_name: ${name}
cluster {
  name: family-inbox
  listen: "127.0.0.1:${port}"
  no_advertise: true
  routes: [${addresses.join()}]
}
`
}

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
  if (process.deaths >= 3) throw new Error(`nats-server keeps exiting; see ${process.logFile}`)
}
