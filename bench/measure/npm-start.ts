import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { freePort } from '@family-inbox/local-stack/free-port'
import type { Processes } from '@family-inbox/local-stack/services'
import { readEnvironment } from '@family-inbox/service-kit/config/config'

const REPOSITORY = `${import.meta.dirname}/../..`
const DEADLINE_MS = 90_000

export async function npmSetup(): Promise<void> {
  await promisify(execFile)('npm', ['run', 'setup'], { cwd: REPOSITORY })
}

/** Runs `npm start` on its own ports. Disposing is Ctrl-C. */
export async function npmStart(
  dataDir: string,
  processes: Processes = 'seven',
): Promise<AsyncDisposable & { seconds: number }> {
  const env = {
    ...readEnvironment(),
    DATA_DIR: dataDir,
    PROCESSES: processes,
    BASE_URL: `http://localhost:${await freePort()}`,
    API_URL: `http://localhost:${await freePort()}`,
    INBOX_URL: `http://localhost:${await freePort()}`,
    SMTP_PORT: `${await freePort()}`,
  }
  const startedAt = performance.now()
  const child = spawn('npm', ['start'], { cwd: REPOSITORY, env, stdio: ['ignore', 'pipe', 'inherit'], detached: true })
  const stop = async () => {
    const gone = once(child, 'exit')
    if (child.exitCode !== null) return
    // To the whole group, as a terminal does.
    process.kill(-(child.pid as number), 'SIGINT')
    await gone
  }
  const deadline = setTimeout(stop, DEADLINE_MS)
  for await (const line of createInterface(child.stdout)) {
    if (!line.startsWith('ready')) continue
    clearTimeout(deadline)
    child.stdout.resume()
    return { seconds: (performance.now() - startedAt) / 1000, [Symbol.asyncDispose]: stop }
  }
  throw new Error('npm start ended before it was ready')
}
