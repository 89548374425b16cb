import { setTimeout as sleep } from 'node:timers/promises'
import test from 'ava'
import { type Family, startFamily } from '../_family.ts'
import { memoryOf } from '../_memory.ts'
import { scaled } from '../_random.ts'
import { readUntil } from '../_wait.ts'
import { toolOf } from '../cluster/_questions.ts'
import { type HttpAnswer, openClient } from '../cluster/_steady-load.ts'

let world: Family

test.before(async () => {
  world = await startFamily({ processes: 'seven' })
})
test.after.always(() => world?.[Symbol.asyncDispose]())

const PEAK_CLIENTS = 24
/** The most one test process can request. */
const MOST_PER_SECOND = 1200
const TIMEOUT_MS = 10_000
const FLOOD_MS = scaled(5000, 10_000)
/**
 * The share of its best throughput that it must keep. The flood comes from this test's own processor, so the bound is low:
 * `npm run bench -- overload` measures the share, 0.8 or more.
 */
const LEAST_GOODPUT = 0.4
/** By deploy/k8s/base/patches/every-service.yaml. */
const GIVEN_MB = 512

test('at four times its capacity it keeps answering, and tells the rest when to retry', async (t) => {
  await crowd(1500, PEAK_CLIENTS) // warms up connections and code
  const peak = await crowd(2000, PEAK_CLIENTS)
  const perSecond = Math.min(4 * Math.ceil(peak.good / peak.seconds), MOST_PER_SECOND)
  const flood = await crowd(FLOOD_MS, Infinity, perSecond)
  const memory = memoryOf(world.stack.pid('gateway'))
  t.log(`as fast as it answers: ${inWords(peak)}`)
  t.log(`${perSecond} calls each second: ${inWords(flood)}; a gateway has ${memory.residentMb.toFixed(0)} MB`)
  t.deepEqual(flood.strange.slice(0, 3), [])
  const goodput = flood.good / flood.seconds / (peak.good / peak.seconds)
  t.true(goodput >= LEAST_GOODPUT, `only ${goodput.toFixed(2)} of its best throughput`)
  t.true(memory.peakMb < GIVEN_MB, `${memory.peakMb} MB`)
  // The garbage of its start may be among it, and is collected some seconds later.
  await readUntil(
    async () => memoryOf(world.stack.pid('gateway')),
    ({ residentMb }) => residentMb < 400,
  )
  t.is(world.stack.deaths('gateway'), 0)
})

type Crowd = { good: number; putOff: number; refused: number; strange: string[]; seconds: number }

function inWords({ good, putOff, refused, seconds }: Crowd): string {
  return `${(good / seconds).toFixed(0)} answered each second, ${putOff} too late, ${refused} refused in all`
}

/** Sends requests for a time, over a maximum of connections, at a fixed rate or as fast as answers arrive. */
async function crowd(forMs: number, most: number, perSecond = Infinity): Promise<Crowd> {
  await using stack = new AsyncDisposableStack()
  const { host, port } = new URL(world.stack.apiUrl)
  const question = toolOf(host, world.family.keys.owner)('list_loved_ones')
  const seen = { good: 0, refused: 0, putOff: 0, strange: [] as string[] }
  const idle: ReturnType<typeof openClient>[] = []
  const waiting = new Set<Promise<void>>()
  const startedAt = Date.now()
  const ask = async () => {
    const client = idle.pop() ?? stack.use(openClient(Number(port)))
    const answer = await Promise.race([client.ask(question).catch(String), late()])
    idle.push(client)
    const kind = kindOf(answer)
    if (kind === 'strange') seen.strange.push(JSON.stringify(answer))
    else seen[kind]++
  }
  let asked = 0
  const isDue = (elapsedMs: number) => perSecond === Infinity || asked <= (perSecond * elapsedMs) / 1000
  for (let elapsed = 0; elapsed < forMs; elapsed = Date.now() - startedAt) {
    for (; waiting.size < most && isDue(elapsed); asked++) {
      const work = ask().finally(() => waiting.delete(work))
      waiting.add(work)
    }
    await (perSecond === Infinity ? Promise.race(waiting) : sleep(10))
  }
  await Promise.all(waiting)
  return { ...seen, seconds: (Date.now() - startedAt) / 1000 }
}

/** An answer, a refusal with a time to return, a timeout, or an answer nobody may get. */
function kindOf(answer: HttpAnswer | string): 'good' | 'refused' | 'putOff' | 'strange' {
  if (typeof answer === 'string') return 'strange'
  const { status, headers, text } = answer
  if (status === 200 && text.includes('"structuredContent"')) return 'good'
  if ((status === 503 || status === 429) && Number(headers['retry-after']) >= 1) return 'refused'
  return status === 200 && text.includes('try again') ? 'putOff' : 'strange'
}

function late(): Promise<string> {
  return sleep(TIMEOUT_MS, `no answer in ${TIMEOUT_MS} ms`, { ref: false })
}
