import { setTimeout as sleep } from 'node:timers/promises'
import { Pool } from 'undici'
import { quantile } from '../measure/statistics.ts'
import { answerQuestions, workerOptions } from '../measure/worker.ts'
import type { Agency } from '../world/agencies.ts'
import { signedEvent } from '../world/signed-event.ts'

/** Events of several agencies in turn, each with its own id. */
export type EventLoad = {
  /** Such as http://127.0.0.1:8081; `host` is the Host header. */
  origin: string
  host: string
  connections: number
  seconds: number
  /** Events a second (open loop). Without it, a connection sends after its last answer. */
  rate?: number
  /** Signs with a wrong secret. */
  forged?: boolean
}

export type EventFigures = {
  /** Expected answers: 202, or 401 for forged events. */
  answered: number
  errors: number
  firstError?: string
  seconds: number
  p50Ms: number
  p99Ms: number
}

const MAX_EVENTS = 200_000

const { agencies } = await workerOptions<{ agencies: Agency[] }>()
let turn = 0

answerQuestions({}, run)

async function run(load: EventLoad): Promise<EventFigures> {
  await using pool = Object.assign(new Pool(load.origin, { connections: load.connections, pipelining: 1 }), {
    [Symbol.asyncDispose]: () => pool.close(),
  })
  const latencies: number[] = []
  let firstError: string | undefined
  const sendOne = async () => {
    const sent = performance.now()
    const problem = await post(pool, load)
    if (problem === undefined) latencies.push(performance.now() - sent)
    else firstError ??= problem
  }
  const started = performance.now()
  const end = started + load.seconds * 1000
  const goesOn = () => performance.now() < end && latencies.length < MAX_EVENTS && firstError === undefined
  const loop = async () => {
    while (goesOn()) await sendOne()
  }
  if (load.rate === undefined) await Promise.all(Array.from({ length: load.connections }, loop))
  else await sendAtRate(load.rate, goesOn, sendOne)
  const seconds = (performance.now() - started) / 1000
  const sorted = latencies.sort((a, b) => a - b)
  const errors = firstError === undefined ? 0 : 1
  return {
    answered: sorted.length,
    errors,
    firstError,
    seconds,
    p50Ms: quantile(sorted, 0.5),
    p99Ms: quantile(sorted, 0.99),
  }
}

async function sendAtRate(rate: number, goesOn: () => boolean, sendOne: () => Promise<void>): Promise<void> {
  const started = performance.now()
  const underWay = new Set<Promise<void>>()
  for (let sent = 0; goesOn(); ) {
    const due = ((performance.now() - started) / 1000) * rate
    for (; sent < due; sent += 1) {
      const one = sendOne().finally(() => underWay.delete(one))
      underWay.add(one)
    }
    await sleep(1)
  }
  await Promise.all(underWay)
}

/** @returns what is wrong with the answer, if anything */
async function post(pool: Pool, { host, forged }: EventLoad): Promise<string | undefined> {
  const agency = agencies[turn++ % agencies.length] as Agency
  const { headers, body } = signedEvent(forged ? { ...agency, secret: 'forged' } : agency)
  const { statusCode, body: answer } = await pool.request({
    path: '/pipe/v1/events',
    method: 'POST',
    headers: { host, ...headers },
    body,
  })
  const text = await answer.text()
  return statusCode === (forged ? 401 : 202) ? undefined : `${statusCode} ${text.slice(0, 300)}`
}
