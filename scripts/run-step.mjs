import { spawn } from 'node:child_process'
import { constants } from 'node:os'
import process from 'node:process'

const HEARTBEAT_MS = 15_000

/**
 * Runs a slow command with progress on standard error. Shows the command's output only if it fails.
 * @param {string} title such as "Installing packages"
 * @param {string[]} command
 * @param {import('node:child_process').SpawnOptions} options
 */
export async function runStep(title, [file, ...args], options) {
  const startedAt = Date.now()
  const elapsed = () => `${((Date.now() - startedAt) / 1000).toFixed(1)} s`
  say(`${title}…`)
  const heartbeat = setInterval(() => say(`${title}… ${elapsed()}`), HEARTBEAT_MS)
  const { problem, output } = await outcome(spawn(file, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] }))
  clearInterval(heartbeat)
  if (problem) {
    process.stderr.write(output)
    throw new Error(`${title} failed after ${elapsed()}: ${[file, ...args].join(' ')} (${problem})`)
  }
  say(`${title}: done in ${elapsed()}`)
}

/** Collects a process's output; `problem` is undefined on success. */
function outcome(child) {
  return new Promise((resolve) => {
    const chunks = []
    child.stdout.on('data', (chunk) => chunks.push(chunk))
    child.stderr.on('data', (chunk) => chunks.push(chunk))
    const end = (problem) => resolve({ problem, output: Buffer.concat(chunks).toString() })
    const interrupt = (signal) => {
      child.kill(signal)
      process.exit(128 + constants.signals[signal])
    }
    for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, interrupt)
    child.once('error', (error) => end(error.code === 'ENOENT' ? `${child.spawnfile} is not installed` : error.message))
    child.once('close', (code, signal) => {
      for (const name of ['SIGINT', 'SIGTERM']) process.off(name, interrupt)
      end(code === 0 ? undefined : (signal ?? `exit code ${code}`))
    })
  })
}

function say(line) {
  process.stderr.write(`${line}\n`)
}
