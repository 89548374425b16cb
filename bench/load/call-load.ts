import { Pool } from 'undici'
import { quantile } from '../measure/statistics.ts'
import { callAs, type SessionPages } from '../peers/tool-request.ts'
import { answerQuestions, workerOptions } from './worker.ts'

/** Calls of one tool, each connection sending the next as soon as the last was answered (closed loop). */
export type CallLoad = {
  /** Where to connect, such as http://127.0.0.1:8081; `host` is the Host header. */
  origin: string
  host: string
  /** The one request body, and the one right answer to it, byte for byte. */
  body: string
  expected: string
  connections: number
  seconds: number
}

export type CallFigures = {
  calls: number
  /** Answers that were not 200 with the expected bytes. */
  errors: number
  /** The first wrong answer, to be shown. */
  firstError?: string
  seconds: number
  p50Ms: number
  p99Ms: number
}

/** An end to every measurement, whatever the clock says. */
const MAX_CALLS = 200_000
const TOO_MANY_ERRORS = 100

/** Keys or tokens; or sessions, and whose pages they are for. */
export type CallLoadOptions = { keys: string[]; pages?: SessionPages }

const { keys, pages } = await workerOptions<CallLoadOptions>()
/** Keys take turns over all measurements, so that no key is used more often than it may. */
let turn = 0

answerQuestions({}, run)

async function run(load: CallLoad): Promise<CallFigures> {
  await using pool = Object.assign(new Pool(load.origin, { connections: load.connections, pipelining: 1 }), {
    [Symbol.asyncDispose]: () => pool.close(),
  })
  const expected = Buffer.from(load.expected)
  const latencies = new Float64Array(MAX_CALLS)
  const started = performance.now()
  const end = started + load.seconds * 1000
  let calls = 0
  let errors = 0
  let firstError: string | undefined

  const loop = async () => {
    while (performance.now() < end && calls < MAX_CALLS && errors < TOO_MANY_ERRORS) {
      const sent = performance.now()
      const problem = await call(pool, load, expected)
      latencies[calls] = performance.now() - sent
      calls += 1
      if (problem === undefined) continue
      errors += 1
      firstError ??= problem
    }
  }
  await Promise.all(Array.from({ length: load.connections }, loop))
  const seconds = (performance.now() - started) / 1000
  const sorted = latencies.subarray(0, calls).sort()
  return { calls, errors, firstError, seconds, p50Ms: quantile(sorted, 0.5), p99Ms: quantile(sorted, 0.99) }
}

/** One call. @returns what is wrong with the answer, if anything */
function call(pool: Pool, { host, body }: CallLoad, expected: Buffer): Promise<string | undefined> {
  const { path, headers: credential } = callAs(keys[turn++ % keys.length] ?? '', pages)
  const headers = {
    host,
    ...credential,
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': '2025-03-26',
  }
  return new Promise((resolve) => {
    const chunks: Buffer[] = []
    let status = 0
    pool.dispatch(
      { path, method: 'POST', headers, body },
      {
        onRequestStart() {},
        onResponseStart(_controller, statusCode) {
          status = statusCode
        },
        onResponseData(_controller, chunk) {
          chunks.push(chunk)
        },
        onResponseEnd() {
          const answer = chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)
          resolve(status === 200 && answer.equals(expected) ? undefined : `${status} ${answer.subarray(0, 300)}`)
        },
        onResponseError(_controller, error) {
          resolve(error.message)
        },
      },
    )
  })
}
