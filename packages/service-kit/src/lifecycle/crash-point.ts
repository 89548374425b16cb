// Where a test ends a service: exactly after a durable step, as a power cut there would.
import { writeSync } from 'node:fs'
import { ConfigError, type Environment } from '../config/config.ts'
import { isLoopbackHost } from '../http/loopback.ts'

/** The name of a crash point. Only tests set it: neither `npm start` nor anything in deploy/ passes it on. */
export const CRASH_AT = 'CRASH_AT'

const known = new Set<string>()
let armed: string | undefined

/** Declares the crash points of a service. @returns the function to call after the step that a point is named after */
export function declareCrashPoints<Name extends string>(names: readonly Name[]): (reached: Name) => void {
  for (const name of names) known.add(name)
  return (reached) => {
    if (reached === armed) crash(reached)
  }
}

/**
 * Arms the point in the environment, if any: the process ends at once when it first reaches it.
 * @param hosts the addresses this process listens on
 * @throws ConfigError for an unknown point, or where others reach this process, as they do in production
 */
export function armCrashPoint(env: Environment, hosts: readonly string[]): void {
  const name = env[CRASH_AT]
  if (name === undefined || name === '') return
  if (!hosts.every(isLoopbackHost)) throw new ConfigError(`${CRASH_AT} must not be set: it ends the process, for tests`)
  if (!known.has(name))
    throw new ConfigError(`${CRASH_AT} is wrong: the name of a crash point, for example message-stored`)
  armed = name
}

/** The line in the log proves where it ended. SIGKILL, so that nothing is tidied up or flushed. */
function crash(point: string): void {
  writeSync(process.stderr.fd, `${crashLine(point)}\n`)
  process.kill(process.pid, 'SIGKILL')
}

export function crashLine(point: string): string {
  return `crash point reached: ${point}`
}
