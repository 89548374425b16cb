import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes, timingSafeEqual } from 'node:crypto'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Examination, Finding } from '@family-inbox/workspace-kit/examination'
import type { Env } from './config.ts'
import { type DoctorAddress, REPOSITORY } from './services.ts'

/** A part that is not done by then is given up; each waits for DNS and servers for some seconds. */
const DEADLINE_MS = 60_000

export function newDoctorKey(): string {
  return randomBytes(32).toString('base64url')
}

/**
 * Lets the operator's page see what the doctor found (GET), and have it look again (POST). The doctor knows passwords that no service
 * needs, so it runs here, in a process of its own, and one at a time.
 */
export function serveDoctor({ port, key }: DoctorAddress, env: Env): AsyncDisposable {
  const doctor = createDoctor(env)
  const server = createServer((request, response) => {
    request.resume()
    if (!isKey(request.headers.authorization, key)) return void response.writeHead(404).end()
    if (request.method === 'POST') doctor.look()
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(doctor.examination()))
  })
  server.on('error', () => {})
  server.listen(port, '127.0.0.1').unref()
  return {
    async [Symbol.asyncDispose]() {
      doctor.stop()
      server.closeAllConnections()
      server.close()
    },
  }
}

function isKey(authorization: string | undefined, key: string): boolean {
  const [shown, right] = [Buffer.from(authorization ?? ''), Buffer.from(`Bearer ${key}`)]
  return shown.length === right.length && timingSafeEqual(shown, right)
}

type Line = { parts: number; findings: Finding[] }

function createDoctor(env: Env) {
  let last: Pick<Examination, 'findings' | 'examinedAt'> = { findings: [] }
  let running: { child: ChildProcess; parts: number; done: number } | undefined

  function look() {
    if (running !== undefined) return
    const found: Finding[] = []
    const args = [join(REPOSITORY, 'packages/ops/src/main.ts'), 'doctor', '--progress']
    const child = spawn(process.execPath, args, { env: { ...env }, stdio: ['ignore', 'pipe', 'ignore'] })
    const now = { child, parts: 0, done: 0 }
    running = now
    const timer = setTimeout(() => child.kill('SIGKILL'), DEADLINE_MS)
    createInterface({ input: child.stdout }).on('line', (line) => {
      const part = readPart(line)
      found.push(...(part?.findings ?? []))
      if (part) Object.assign(now, { parts: part.parts, done: now.done + 1 })
    })
    child.on('error', () => {})
    child.on('close', () => {
      clearTimeout(timer)
      running = undefined
      last = {
        findings: now.done === 0 || now.done < now.parts ? [UNFINISHED, ...found] : found,
        examinedAt: new Date().toISOString(),
      }
    })
  }

  return {
    look,
    examination: (): Examination => ({
      ...last,
      ...(running && { running: { parts: running.parts, done: running.done } }),
    }),
    stop: () => void running?.child.kill('SIGKILL'),
  }
}

/** @returns undefined for anything else that it prints */
function readPart(line: string): Line | undefined {
  try {
    return JSON.parse(line) as Line
  } catch {
    return undefined
  }
}

const UNFINISHED: Finding = {
  check: 'doctor',
  state: 'problem',
  says: 'Not every check ended within a minute.',
  todo: 'Check again. If it stays like this, run on the server: npm run -s ops -- doctor',
}
