import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, renameSync, statSync } from 'node:fs'

const FIRST_DELAY_MS = 100
const LONGEST_DELAY_MS = 5000
const STABLE_AFTER_MS = 2000
const GRACE_MS = 8000
const LOG_ROTATED_AT_BYTES = 20_000_000

/** One child process to keep alive. Its standard output and errors are appended to `logFile`. */
export type Command = {
  readonly name: string
  readonly file: string
  readonly args: readonly string[]
  readonly env?: NodeJS.ProcessEnv
  readonly logFile: string
}

/** What happened to a supervised process: it has a new pid, or it ended though nobody asked it to. */
export type Happening = { readonly name: string } & (
  | { readonly started: number }
  | { readonly died: string; readonly restartInMs: number }
)

export type Watcher = (happening: Happening) => void

/** The first signal, and how long until SIGKILL follows; by default SIGTERM and 8 s. */
export type Halt = { readonly signal?: NodeJS.Signals; readonly graceMs?: number }

/** A process that is started again whenever it dies, until it is stopped. */
export type Supervised = AsyncDisposable & {
  readonly name: string
  readonly logFile: string
  /** The running process, or undefined between a death and the restart. */
  readonly pid: number | undefined
  /** How often it died without being asked to. */
  readonly deaths: number
  /** It was told to stop, and is not started again. */
  readonly stopped: boolean
  kill(signal: NodeJS.Signals): void
  restart(): Promise<void>
  stop(how?: Halt): Promise<void>
}

/** Starts a command in a process group of its own, so that Ctrl-C in the terminal reaches only the one who supervises. */
export function supervise(command: Command, watch: Watcher = () => {}): Supervised {
  const log = openLog(command.logFile)
  let child: ChildProcess | undefined
  let pendingStart: NodeJS.Timeout | undefined
  let wanted = true
  let deaths = 0
  let failures = 0
  let stopping: Promise<void> | undefined

  function start() {
    const startedAt = Date.now()
    const { name, file, args, env } = command
    const started = spawn(file, args, { env, detached: true, stdio: ['ignore', log, log] })
    child = started
    if (started.pid) watch({ name, started: started.pid })
    const ended = (how: string) => {
      if (child !== started) return
      child = undefined
      if (!wanted) return
      deaths++
      failures = Date.now() - startedAt > STABLE_AFTER_MS ? 0 : failures + 1
      const restartInMs = restartDelay(failures)
      pendingStart = setTimeout(start, restartInMs)
      watch({ name, died: how, restartInMs })
    }
    started.once('error', (error) => ended(error.message))
    started.once('exit', (code, signal) => ended(signal ?? `exit code ${code}`))
  }

  async function halt({ signal = 'SIGTERM', graceMs = GRACE_MS }: Halt = {}) {
    wanted = false
    clearTimeout(pendingStart)
    if (child) await end(child, signal, graceMs)
  }

  function stop(how?: Halt): Promise<void> {
    if (stopping && how?.signal === 'SIGKILL') child?.kill('SIGKILL')
    stopping ??= halt(how).then(() => closeSync(log))
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
    stop,
    [Symbol.asyncDispose]: stop,
  }
}

/** How long to wait before the next start, after so many deaths soon after a start: 100 ms, doubling up to 5 s. */
export function restartDelay(failures: number): number {
  return Math.min(FIRST_DELAY_MS * 2 ** Math.max(0, failures - 1), LONGEST_DELAY_MS)
}

async function end(child: ChildProcess, signal: NodeJS.Signals, graceMs: number) {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return
  const gone = once(child, 'exit')
  child.kill(signal)
  child.kill('SIGCONT') // a stopped process would never see the first signal
  const impatience = setTimeout(() => child.kill('SIGKILL'), graceMs)
  await gone
  clearTimeout(impatience)
}

function openLog(path: string): number {
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0
  if (size > LOG_ROTATED_AT_BYTES) renameSync(path, `${path}.1`)
  return openSync(path, 'a', 0o600)
}
