import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'

/** Whether strace is installed and may trace other processes. CI installs it (`.ci/run`). */
export async function canTrace(): Promise<boolean> {
  const run = promisify(execFile)
  return run('strace', ['-f', '-o', '/dev/null', 'true']).then(
    () => true,
    () => false,
  )
}

/**
 * Makes system calls of a running process fail, in all its threads, until disposed of or until it dies.
 * @param calls like `fsync,fdatasync`
 * @param error like `EIO`
 */
export async function failCalls(pid: number, calls: string, error: string): Promise<AsyncDisposable> {
  const filters = ['-e', `trace=${calls}`, '-e', `inject=${calls}:error=${error}`]
  const strace = spawn('strace', ['-f', '-o', '/dev/null', ...filters, '-p', `${pid}`], {
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const ended = once(strace, 'exit')
  // It says so once it is attached to every thread.
  for await (const line of createInterface(strace.stderr)) if (line.includes('attached')) break
  strace.stderr.resume()
  return {
    async [Symbol.asyncDispose]() {
      strace.kill('SIGINT')
      await ended
    },
  }
}
