import { Pool } from 'undici'
import { quantile } from '../measure/statistics.ts'
import { answerQuestions, workerOptions } from '../measure/worker.ts'
import { callHeaders, TOOL_PATH } from '../world/tool-request.ts'

/** Calls of one tool (closed loop). */
export type CallLoad = {
  /** Such as http://127.0.0.1:8081; `host` is the Host header. */
  origin: string
  host: string
  /** The request body, and the only correct answer. */
  body: string
  expected: string
  connections: number
  seconds: number
}

export type CallFigures = {
  calls: number
  errors: number
  firstError?: string
  seconds: number
  p50Ms: number
  p99Ms: number
}

/** Ends every measurement. */
const MAX_CALLS = 200_000
const TOO_MANY_ERRORS = 100

const { keys } = await workerOptions<{ keys: string[] }>()
/** Keys take turns over all measurements, so none exceeds its limit. */
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

/** @returns what is wrong with the answer, if anything */
function call(pool: Pool, { host, body }: CallLoad, expected: Buffer): Promise<string | undefined> {
  const headers = callHeaders(host, keys[turn++ % keys.length] ?? '')
  return new Promise((resolve) => {
    const chunks: Buffer[] = []
    let status = 0
    pool.dispatch(
      { path: TOOL_PATH, method: 'POST', headers, body },
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
