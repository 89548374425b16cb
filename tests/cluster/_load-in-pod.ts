// Calls tools of the gateway until its standard input ends, like a proxy in front of it: over connections that stay open, without
// retries. Runs alone in a pod, so it imports nothing of this repository. Prints `started` after the first answer, and what came
// back as JSON.
// Usage: node --input-type=module-typescript --eval <this file> -- <JSON of LoadOptions>
import http from 'node:http'
import https from 'node:https'
import process from 'node:process'
import { setTimeout as sleep } from 'node:timers/promises'

export type LoadOptions = {
  url: string
  host: string
  key: string
  bodies: string[]
  clients: number
  paceMs: number
  /** Who signed the gateway’s certificate (PEM). Without it, calls go by HTTP. */
  authority?: string
}

export type LoadResult = {
  answered: number
  failed: number
  /** The first ones. */
  failures: string[]
  medianMs: number
  p99Ms: number
  slowestMs: number
}

const TIMEOUT_MS = 20_000
const SHOWN = 10

const { url, host, key, bodies, clients, paceMs, authority } = JSON.parse(process.argv.at(-1) ?? '') as LoadOptions
const { Agent, request } = authority === undefined ? http : https
const verified = authority === undefined ? {} : { ca: authority, servername: new URL(url).hostname.split('.')[0] }
const agent = new Agent({ keepAlive: true, maxSockets: clients, ...verified })
const times: number[] = []
const failures: string[] = []
let failed = 0
let isOn = true

process.stdin.on('end', () => {
  isOn = false
})
process.stdin.resume()
await Promise.all(Array.from({ length: clients }, (_, client) => callAgainAndAgain(client)))
report()

async function callAgainAndAgain(client: number): Promise<void> {
  for (let nth = client; isOn; nth++) {
    const startedAt = Date.now()
    const problem = await call(bodies[nth % bodies.length] ?? '').catch((error) => `${error.code ?? error.message}`)
    if (times.push(Date.now() - startedAt) === 1) process.stdout.write('started\n')
    if (problem !== undefined) {
      failed++
      if (failures.length < SHOWN)
        failures.push(`${new Date().toISOString()} ${problem} after ${Date.now() - startedAt} ms`)
    }
    await sleep(paceMs)
  }
}

/** @returns what is wrong with the answer, if anything */
function call(body: string): Promise<string | undefined> {
  return new Promise((resolve, reject) => {
    const headers = { host, authorization: `Bearer ${key}`, 'content-type': 'application/json' }
    const asked = request(`${url}/mcp/v1`, { agent, method: 'POST', timeout: TIMEOUT_MS, headers }, (answer) => {
      let text = ''
      answer.setEncoding('utf8')
      answer.on('data', (chunk) => {
        text += chunk
      })
      answer.on('error', reject)
      answer.on('end', () => {
        const isRight = answer.statusCode === 200 && text.includes('"structuredContent"')
        resolve(isRight ? undefined : `${answer.statusCode} ${text.slice(0, 200)}`)
      })
    })
    asked.on('timeout', () => asked.destroy(new Error('no answer in time')))
    asked.on('error', reject)
    asked.end(body)
  })
}

function report(): void {
  const sorted = times.toSorted((a, b) => a - b)
  const at = (part: number) => sorted[Math.floor((sorted.length - 1) * part)] ?? 0
  const result: LoadResult = {
    answered: times.length,
    failed,
    failures,
    medianMs: at(0.5),
    p99Ms: at(0.99),
    slowestMs: at(1),
  }
  process.stdout.write(`${JSON.stringify(result)}\n`, () => process.exit(0))
}
