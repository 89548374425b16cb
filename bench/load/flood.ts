import { setTimeout as sleep } from 'node:timers/promises'
import { Pool } from 'undici'
import { quantile } from '../measure/statistics.ts'
import { answerQuestions, workerOptions } from '../measure/worker.ts'
import { callHeaders, TOOL_PATH } from '../world/tool-request.ts'

/** Calls of one tool, optionally more than can be answered. */
export type Flood = {
  origin: string
  host: string
  body: string
  /** Calls started each second (open loop); 0: each connection sends after its last answer (closed loop). */
  perSecond: number
  connections: number
  seconds: number
}

export type FloodFigures = {
  good: number
  /** Refused immediately, with a time to come back. */
  refused: number
  /** Answered that it took too long. */
  late: number
  /** Anything else; must be zero. */
  strange: number
  firstStrange?: string
  seconds: number
  /** The times of good answers. */
  p50Ms: number
  p99Ms: number
}

const TICK_MS = 2

const { keys } = await workerOptions<{ keys: string[] }>()
let turn = 0

answerQuestions({}, run)

async function run(flood: Flood): Promise<FloodFigures> {
  await using pool = Object.assign(new Pool(flood.origin, { connections: flood.connections, pipelining: 1 }), {
    [Symbol.asyncDispose]: () => pool.close(),
  })
  const counts = { good: 0, refused: 0, late: 0, strange: 0 }
  const latencies: number[] = []
  let firstStrange: string | undefined
  const ask = async () => {
    const sent = performance.now()
    const { kind, text } = await call(pool, flood)
    counts[kind] += 1
    if (kind === 'good') latencies.push(performance.now() - sent)
    if (kind === 'strange') firstStrange ??= text.slice(0, 300)
  }
  const started = performance.now()
  await (flood.perSecond === 0 ? inTurns(flood, ask) : steadily(flood, ask))
  const seconds = (performance.now() - started) / 1000
  const sorted = latencies.sort((a, b) => a - b)
  return { ...counts, firstStrange, seconds, p50Ms: quantile(sorted, 0.5), p99Ms: quantile(sorted, 0.99) }
}

async function inTurns({ connections, seconds }: Flood, ask: () => Promise<void>): Promise<void> {
  const end = performance.now() + seconds * 1000
  const loop = async () => {
    while (performance.now() < end) await ask()
  }
  await Promise.all(Array.from({ length: connections }, loop))
}

async function steadily({ perSecond, seconds }: Flood, ask: () => Promise<void>): Promise<void> {
  const started = performance.now()
  const underWay = new Set<Promise<void>>()
  let asked = 0
  for (let elapsed = 0; elapsed < seconds * 1000; elapsed = performance.now() - started) {
    for (; asked < (perSecond * elapsed) / 1000; asked += 1) {
      const work = ask().finally(() => underWay.delete(work))
      underWay.add(work)
    }
    await sleep(TICK_MS)
  }
  await Promise.all(underWay)
}

type Kind = 'good' | 'refused' | 'late' | 'strange'

async function call(pool: Pool, { host, body }: Flood): Promise<{ kind: Kind; text: string }> {
  const headers = callHeaders(host, keys[turn++ % keys.length] ?? '')
  try {
    const answer = await pool.request({ path: TOOL_PATH, method: 'POST', headers, body })
    const text = await answer.body.text()
    return {
      kind: kindOf(answer.statusCode, answer.headers['retry-after'], text),
      text: `${answer.statusCode} ${text}`,
    }
  } catch (error) {
    return { kind: 'strange', text: String(error) }
  }
}

function kindOf(status: number, retryAfter: unknown, text: string): Kind {
  if (status === 200 && text.includes('"structuredContent"')) return 'good'
  if (status === 503 && Number(retryAfter) >= 1) return 'refused'
  return status === 200 && text.includes('try again') ? 'late' : 'strange'
}
