import { spawn } from 'node:child_process'
import { join } from 'node:path'
import type { Config } from './config.ts'
import { REPOSITORY } from './services.ts'

const AT = { hours: 3, minutes: 30 } as const

/**
 * Has a backup made every night (`npm run backup -- nightly`), and at once if the last night had none. In a process of its own: it
 * reads everything there is.
 */
export function makeNightlyBackups({ env, dataDir }: Config, say: (line: string) => void): Disposable {
  const program = join(REPOSITORY, 'deploy/src/backup.ts')
  let running: ReturnType<typeof spawn> | undefined
  let timer: NodeJS.Timeout | undefined

  function backUp() {
    const night = lastNight(new Date())
    timer = setTimeout(backUp, nextNight(new Date()).getTime() - Date.now())
    const args = [program, 'nightly', '--if-before', night.toISOString()]
    running = spawn(process.execPath, args, { env: { ...env, DATA_DIR: dataDir }, stdio: ['ignore', 'ignore', 'pipe'] })
    let problem = ''
    running.stderr?.on('data', (chunk) => (problem += chunk))
    running.on('error', ({ message }) => say(`The backup failed: ${message}`))
    running.on('close', (code) => code !== 0 && code !== null && say(`The backup failed: ${problem.trim()}`))
  }

  backUp()
  return {
    [Symbol.dispose]() {
      clearTimeout(timer)
      running?.kill()
    },
  }
}

/** The latest half past three that is over, in the time zone of this machine. */
export function lastNight(now: Date): Date {
  const night = nightOf(now)
  return night > now ? nightOf(now, -1) : night
}

export function nextNight(now: Date): Date {
  const night = nightOf(now)
  return night > now ? night : nightOf(now, 1)
}

function nightOf(day: Date, later = 0): Date {
  return new Date(day.getFullYear(), day.getMonth(), day.getDate() + later, AT.hours, AT.minutes)
}
