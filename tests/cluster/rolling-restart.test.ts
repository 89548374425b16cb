import { readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { poll } from '@family-inbox/local-stack/poll'
import { services } from '@family-inbox/local-stack/services'
import anyTest, { type TestFn } from 'ava'
import { startMailSink } from '../_mail-sink.ts'
import { questionsFor, toolOf } from './_questions.ts'
import { type Replicas, startReplicas } from './_replicas.ts'
import { type HttpAnswer, openClient, startLoad } from './_steady-load.ts'

type World = { replicas: Replicas; sink: Awaited<ReturnType<typeof startMailSink>>; messageId: string }

const test = anyTest as TestFn<World>
/** Only Linux lets a process listen on any address of 127/8. */
const onLinux = process.platform === 'linux' ? test.serial : test.serial.skip

const CLIENTS = 8

test.before('three gateways and two of each other service, behind names of their own', async (t) => {
  t.timeout(240_000)
  if (process.platform !== 'linux') return
  t.context.sink = await startMailSink()
  t.context.replicas = await startReplicas((name) => (name === 'gateway' ? 3 : 2), t.context.sink.url)
  const { family, http } = t.context.replicas
  using client = openClient(http.port)
  const ask = toolOf(http.apiHost, family.keys.owner)('list_inbox_messages', { lovedOneId: family.lovedOnes[0]?.id })
  t.context.messageId = await poll(
    async () => JSON.parse((await client.ask(ask)).text).result?.structuredContent.messages[0]?.id,
    { timeoutMs: 60_000, everyMs: 100, timeout: () => new Error('there is no mail') },
  )
})
test.after.always(async ({ context: { replicas, sink } }) => {
  await replicas?.[Symbol.asyncDispose]()
  await sink?.[Symbol.asyncDispose]()
})

onLinux('every replica of every service is replaced while calls go on, and not one call fails', async (t) => {
  t.timeout(300_000)
  const { replicas, messageId, sink } = t.context
  const questions = questionsFor(replicas, messageId)
  await using load = startLoad(replicas.http.port, CLIENTS, questions.nth, questions.problemWith)
  await load.goesOn(4 * CLIENTS)
  for (const { name } of services) {
    const before = { answered: load.answered(), at: Date.now() }
    await replicas.roll(name)
    t.log(`${name}: ${load.answered() - before.answered} calls in ${((Date.now() - before.at) / 1000).toFixed(1)} s`)
    for (const failure of load.failures.slice(0, 5)) t.log(failure)
    t.deepEqual(load.failures, [], `while ${name} was restarted; see ${replicas.logs}`)
  }
  await load.goesOn(4 * CLIENTS)
  await load.stop()
  t.deepEqual(load.failures, [])
  // What one replica had begun to send another has finished, and has not sent again.
  const mailsWith = (words: string) => sink.mails.filter(({ raw }) => raw.includes(words)).length
  await poll(async () => questions.replied.every((words) => mailsWith(words) > 0) || undefined, {
    timeoutMs: 60_000,
    everyMs: 100,
    timeout: () => new Error('a reply that was acknowledged is not sent'),
  })
  t.deepEqual(
    questions.replied.filter((words) => mailsWith(words) !== 1),
    [],
  )
  t.log(`${load.answered()} calls, ${questions.replied.length} replies`)
})

const PEAK_CLIENTS = 24
/** What one test process can ask of whoever is faster than it. */
const MOST_PER_SECOND = 1200
const PATIENCE_MS = 10_000

onLinux(
  'of four times the calls it can answer it goes on answering, and tells the rest when to come back',
  async (t) => {
    t.timeout(180_000)
    const { replicas } = t.context
    await crowd(replicas, 2000, PEAK_CLIENTS) // everything is connected and compiled
    const peak = await crowd(replicas, 3000, PEAK_CLIENTS)
    const perSecond = Math.min(4 * Math.ceil(peak.good / peak.seconds), MOST_PER_SECOND)
    const flood = await crowd(replicas, 10_000, Infinity, perSecond)
    const residentMb = Math.max(...(await Promise.all(replicas.pids('gateway').map(residentMbOf))))
    t.log(`as fast as it answers: ${inWords(peak)}`)
    t.log(`${perSecond} calls each second: ${inWords(flood)}; a gateway has ${residentMb.toFixed(0)} MB`)
    t.deepEqual(flood.strange.slice(0, 3), [])
    t.true(flood.good > 0)
    t.true(residentMb < 400, `${residentMb} MB`)
  },
)

type Crowd = { good: number; putOff: number; refused: number; strange: string[]; seconds: number }

function inWords({ good, putOff, refused, seconds }: Crowd): string {
  return `${(good / seconds).toFixed(0)} answered each second, ${putOff} too late, ${refused} refused in all`
}

/** Asks for so long, at so many connections at most; so often each second, or again as soon as there was an answer. */
async function crowd({ http, family }: Replicas, forMs: number, most: number, perSecond = Infinity): Promise<Crowd> {
  await using stack = new AsyncDisposableStack()
  const question = toolOf(http.apiHost, family.keys.owner)('list_loved_ones')
  const seen = { good: 0, refused: 0, putOff: 0, strange: [] as string[] }
  const idle: ReturnType<typeof openClient>[] = []
  const waiting = new Set<Promise<void>>()
  const startedAt = Date.now()
  const ask = async () => {
    const client = idle.pop() ?? stack.use(openClient(http.port))
    const answer = await Promise.race([client.ask(question).catch(String), late()])
    idle.push(client)
    const kind = kindOf(answer)
    if (kind === 'strange') seen.strange.push(JSON.stringify(answer))
    else seen[kind]++
  }
  let asked = 0
  for (let elapsed = 0; elapsed < forMs; elapsed = Date.now() - startedAt) {
    for (; waiting.size < most && asked <= (perSecond * elapsed) / 1000; asked++) {
      const work = ask().finally(() => waiting.delete(work))
      waiting.add(work)
    }
    await (perSecond === Infinity ? Promise.race(waiting) : sleep(10))
  }
  await Promise.all(waiting)
  return { ...seen, seconds: (Date.now() - startedAt) / 1000 }
}

/** An answer, a refusal that says when to come back, an answer that it took too long; or what nobody may get. */
function kindOf(answer: HttpAnswer | string): 'good' | 'refused' | 'putOff' | 'strange' {
  if (typeof answer === 'string') return 'strange'
  const { status, headers, text } = answer
  if (status === 200 && text.includes('"structuredContent"')) return 'good'
  if ((status === 503 || status === 429) && Number(headers['retry-after']) >= 1) return 'refused'
  return status === 200 && text.includes('try again') ? 'putOff' : 'strange'
}

function late(): Promise<string> {
  return sleep(PATIENCE_MS, `no answer in ${PATIENCE_MS} ms`, { ref: false })
}

async function residentMbOf(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  return Number(status.match(/^VmRSS:\s+(\d+) kB/m)?.[1]) / 1024
}
