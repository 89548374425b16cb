import { open } from 'node:fs/promises'
import * as https from 'node:https'
import type { Supervised } from './supervise.ts'
import { waitFor } from './wait-for.ts'

// Importing it would load undici for exports nobody uses, while the starter waits for a processor.
const http = process.getBuiltinModule('node:http')

const MAX_DEATHS = 5
const TAIL_BYTES = 2000

/** Waits until every check returns true, in their order. @throws with the end of the log when a process keeps exiting, or on timeout */
export async function waitReady(
  checks: readonly (() => Promise<boolean>)[],
  processes: readonly Supervised[],
  timeoutMs: number,
): Promise<void> {
  const before = new Map(processes.map((process) => [process, process.deaths]))
  const check = async () => {
    const dying = processes.find((process) => process.deaths - (before.get(process) ?? 0) >= MAX_DEATHS)
    if (dying) throw new Error(`${dying.name} keeps exiting.\n${await endOf(dying.logFile)}`)
    // The gateway is last: what it asks all others would slow down their start.
    for (const ask of checks) if (!(await ask())) return undefined
    return true
  }
  await waitFor(check, {
    timeoutMs,
    everyMs: 25,
    timeout: () =>
      new Error(`Not ready after ${timeoutMs / 1000} s; see ${processes.map((p) => p.logFile).join(', ')}`),
  })
}

/** Whether `GET /readyz` on a local port returns 200. Any certificate will do: it is for the public name. */
export function isReady(port: number, isTls = false): Promise<boolean> {
  const options = { host: '127.0.0.1', port, path: '/readyz', agent: false, timeout: 2000, rejectUnauthorized: false }
  return new Promise((resolve) => {
    const request = (isTls ? https : http).get(options, (response) => {
      response.resume()
      resolve(response.statusCode === 200)
    })
    request.once('timeout', () => request.destroy())
    request.once('error', () => resolve(false))
  })
}

async function endOf(path: string): Promise<string> {
  await using file = await open(path)
  const { size } = await file.stat()
  const { buffer, bytesRead } = await file.read({
    buffer: Buffer.alloc(TAIL_BYTES),
    position: Math.max(0, size - TAIL_BYTES),
  })
  return buffer.toString('utf8', 0, bytesRead).trim()
}
