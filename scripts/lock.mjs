import { mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import process from 'node:process'
import { setTimeout as sleep } from 'node:timers/promises'

// A lock this old without a process id was left by a process that was killed while creating it.
const HALF_MADE_MS = 5000

/**
 * Runs `work` while holding a lock that excludes other processes. Takes over the lock of a killed process.
 * @param {string} dir created for the duration of the work
 * @param {() => Promise<void>} work
 */
export async function withLock(dir, work) {
  mkdirSync(dirname(dir), { recursive: true })
  for (let hasPrinted = false; !take(dir); hasPrinted = true) {
    if (!hasPrinted) process.stderr.write('Waiting for another process to prepare this folder…\n')
    await sleep(200)
  }
  const release = () => rmSync(dir, { recursive: true, force: true })
  process.once('exit', release)
  try {
    await work()
  } finally {
    release()
    process.off('exit', release)
  }
}

function take(dir) {
  try {
    mkdirSync(dir)
    writeFileSync(join(dir, 'pid'), String(process.pid))
    return true
  } catch (error) {
    if (error.code !== 'EEXIST') throw error
    if (isStale(dir)) discard(dir)
    return false
  }
}

function isStale(dir) {
  try {
    const pid = Number(readFileSync(join(dir, 'pid'), 'utf8'))
    return pid ? !isAlive(pid) : isOld(dir)
  } catch {
    return isOld(dir)
  }
}

function isOld(dir) {
  const made = statSync(dir, { throwIfNoEntry: false })?.mtimeMs
  return made !== undefined && Date.now() - made > HALF_MADE_MS
}

function isAlive(pid) {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error.code === 'EPERM'
  }
}

/** Moves it first: if two processes find it stale, only one succeeds. */
function discard(dir) {
  const aside = `${dir}.${process.pid}`
  try {
    renameSync(dir, aside)
    rmSync(aside, { recursive: true, force: true })
  } catch {
    // The other process was faster.
  }
}
