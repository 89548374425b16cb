import { Pool } from 'undici'
import { quantile } from '../measure/statistics.ts'
import { answerQuestions, workerOptions } from './worker.ts'

/** Starts of sandbox workspaces (closed loop). */
export type StartLoad = {
  origin: string
  host: string
  path: string
  /** The network the calls appear to come from. */
  from: string
  /** The expected status: 200 with a workspace, or 429. */
  status: 200 | 429
  connections: number
  seconds: number
}

export type StartFigures = {
  starts: number
  errors: number
  firstError?: string
  seconds: number
  p50Ms: number
  p99Ms: number
}

const MAX_STARTS = 500_000

const BODY = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: {
    name: 'start_family_care_workspace',
    arguments: {
      lovedOneFirstName: 'Rosa',
      lovedOneLastName: 'Silva',
      primaryCaregiverEmail: 'ana@silva.example',
      familyMemberEmails: ['rui@silva.example', 'mia@silva.example'],
      careContext: 'Lives alone and likes visits in the morning. The pharmacy delivers on Tuesdays.',
      sandbox: true,
    },
  },
})

await workerOptions()
answerQuestions({}, run)

async function run(load: StartLoad): Promise<StartFigures> {
  await using pool = Object.assign(new Pool(load.origin, { connections: load.connections, pipelining: 1 }), {
    [Symbol.asyncDispose]: () => pool.close(),
  })
  const latencies = new Float64Array(MAX_STARTS)
  const started = performance.now()
  const end = started + load.seconds * 1000
  let starts = 0
  let firstError: string | undefined

  const loop = async () => {
    while (performance.now() < end && starts < MAX_STARTS && firstError === undefined) {
      const sent = performance.now()
      firstError ??= await start(pool, load)
      latencies[starts] = performance.now() - sent
      starts += 1
    }
  }
  await Promise.all(Array.from({ length: load.connections }, loop))
  const seconds = (performance.now() - started) / 1000
  const sorted = latencies.subarray(0, starts).sort()
  const errors = firstError === undefined ? 0 : 1
  return { starts, errors, firstError, seconds, p50Ms: quantile(sorted, 0.5), p99Ms: quantile(sorted, 0.99) }
}

/** @returns what is wrong with the answer, if anything */
async function start(pool: Pool, { host, path, from, status }: StartLoad): Promise<string | undefined> {
  const headers = { host, 'content-type': 'application/json', 'x-forwarded-for': from }
  const answer = await pool.request({ path, method: 'POST', headers, body: BODY })
  const text = await answer.body.text()
  const isRight = answer.statusCode === status && text.includes(status === 200 ? '"workspaceId"' : '"retryAfterSec"')
  return isRight ? undefined : `${answer.statusCode} ${text.slice(0, 300)}`
}
