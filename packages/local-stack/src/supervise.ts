import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, renameSync, statSync } from 'node:fs'
import { CRASH_AT } from '@family-inbox/service-kit/lifecycle/crash-point'

const FIRST_DELAY_MS = 100
const LONGEST_DELAY_MS = 5000
const STABLE_AFTER_MS = 2000
const GRACE_MS = 8000
const LOG_ROTATED_AT_BYTES = 20_000_000

export type Command = {
  readonly name: string
  readonly file: string
  readonly args: readonly string[]
  readonly env?: NodeJS.ProcessEnv
  readonly logFile: string
}

export type ProcessEvent = { readonly name: string } & (
  | { readonly started: number }
  | { readonly died: string; readonly restartInMs: number }
)

export type Watcher = (event: ProcessEvent) => void

export type StopOptions = { readonly signal?: NodeJS.Signals; readonly graceMs?: number }

export type Supervised = AsyncDisposable & {
  readonly name: string
  readonly logFile: string
  /** Undefined between a death and the restart. */
  readonly pid: number | undefined
  readonly deaths: number
  readonly stopped: boolean
  kill(signal: NodeJS.Signals): void
  restart(): Promise<void>
  /** Each of the next starts is armed with one of these crash points. */
  crashAt(points: readonly string[]): void
  stop(options?: StopOptions): Promise<void>
}

/** Starts a command in its own process group, so that Ctrl-C in the terminal reaches only the supervisor. */
export function supervise(command: Command, watch: Watcher = () => {}): Supervised {
  const log = openLog(command.logFile)
  let child: ChildProcess | undefined
  let pendingStart: NodeJS.Timeout | undefined
  let wanted = true
  let deaths = 0
  let failures = 0
  let stopping: Promise<void> | undefined
  let crashPoints: readonly string[] = []

  function start() {
    const startedAt = Date.now()
    const { name, file, args } = command
    const [crashAt, ...later] = crashPoints
    crashPoints = later
    const env = crashAt === undefined ? command.env : { ...command.env, [CRASH_AT]: crashAt }
    const started = spawn(file, args, { env, detached: true, stdio: ['ignore', log, log] })
    child = started
    if (started.pid) watch({ name, started: started.pid })
    const ended = (how: string) => {
      if (child !== started) return
      child = undefined
      if (!wanted) return
      deaths++
      const isExpected = crashAt !== undefined
      failures = isExpected || Date.now() - startedAt > STABLE_AFTER_MS ? 0 : failures + 1
      const restartInMs = restartDelay(failures)
      pendingStart = setTimeout(start, restartInMs)
      watch({ name, died: how, restartInMs })
    }
    started.once('error', (error) => ended(error.message))
    started.once('exit', (code, signal) => ended(signal ?? `exit code ${code}`))
  }

  async function halt({ signal = 'SIGTERM', graceMs = GRACE_MS }: StopOptions = {}) {
    wanted = false
    clearTimeout(pendingStart)
    if (child) await end(child, signal, graceMs)
  }

  function stop(options?: StopOptions): Promise<void> {
    if (stopping && options?.signal === 'SIGKILL') child?.kill('SIGKILL')
    stopping ??= halt(options).then(() => closeSync(log))
    return stopping
  }

  start()
  return {
    name: command.name,
    logFile: command.logFile,
    get pid() {
      return child?.pid
    },
    get deaths() {
      return deaths
    },
    get stopped() {
      return stopping !== undefined
    },
    kill: (signal) => void child?.kill(signal),
    restart: async () => {
      await halt()
      wanted = true
      start()
    },
    crashAt: (points) => {
      crashPoints = points
    },
    stop,
    [Symbol.asyncDispose]: stop,
  }
}

/** The delay before a restart after so many quick failures: 100 ms, doubling up to 5 s. */
export function restartDelay(failures: number): number {
  return Math.min(FIRST_DELAY_MS * 2 ** Math.max(0, failures - 1), LONGEST_DELAY_MS)
}

async function end(child: ChildProcess, signal: NodeJS.Signals, graceMs: number) {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return
  const gone = once(child, 'exit')
  child.kill(signal)
  child.kill('SIGCONT') // a paused process would not receive the first signal
  const timer = setTimeout(() => child.kill('SIGKILL'), graceMs)
  await gone
  clearTimeout(timer)
}

function openLog(path: string): number {
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0
  if (size > LOG_ROTATED_AT_BYTES) renameSync(path, `${path}.1`)
  return openSync(path, 'a', 0o600)
}
