import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { inTime } from '../in-time.ts'
import type { Authenticity, Envelope } from '../models/message.ts'
import type { FromWorker, ToWorker } from './judge-mail.ts'
import type { ResolveDns } from './resolve-dns.ts'

/** DNS has this long for all of one mail's questions. */
const DNS_MS = 2500
/** A thread that has not judged a mail by then is ended, with all it was judging. */
const JUDGE_MS = 3500
/** An idle thread gives its memory back. */
const IDLE_MS = 5000
const RESOURCE_LIMITS = { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 32 }

const UNDECIDED: Authenticity = { spf: 'temperror', dkim: 'temperror', dmarc: 'temperror', arc: 'temperror' }

export type Judge = AsyncDisposable & {
  /** Never rejects: what cannot be told in time is `temperror`. The bytes are handed over and cannot be used afterwards. */
  judge(raw: Uint8Array<ArrayBuffer>, envelope: Envelope): Promise<Authenticity>
}

type Job = { settle: (verdict: Authenticity) => void; startedAt: number; late: NodeJS.Timeout }

/** A thread, and when it is ready to judge, or has ended. */
type Thread = { worker: Worker; ready: Promise<unknown> }

/** Judges mail in a thread that runs only while there is some. */
export function createJudge(resolve: ResolveDns): Judge {
  const jobs = new Map<number, Job>()
  let lastJob = 0
  let thread: Thread | undefined
  let idle: NodeJS.Timeout | undefined

  function start(): Thread {
    const worker = new Worker(new URL('./judge-worker.ts', import.meta.url), { resourceLimits: RESOURCE_LIMITS })
    const ready = Promise.race([once(worker, 'message'), once(worker, 'exit')]).catch(() => {})
    worker.on('message', (message: FromWorker) => {
      if ('question' in message) void answer(worker, message)
      else if ('job' in message) finish(message.job, message.verdict ?? UNDECIDED)
    })
    worker.on('error', stop)
    return { worker, ready }
  }

  async function answer(worker: Worker, { job, question, name, type }: Extract<FromWorker, { question: number }>) {
    const left = (jobs.get(job)?.startedAt ?? 0) + DNS_MS - Date.now()
    const reply = (message: ToWorker) => worker.postMessage(message)
    try {
      reply({ question, answer: await inTime(left, resolve(name, type)) })
    } catch (error) {
      reply({ question, code: String((error as { code?: unknown }).code ?? 'ESERVFAIL') })
    }
  }

  function finish(id: number, verdict: Authenticity): void {
    const job = jobs.get(id)
    clearTimeout(job?.late)
    jobs.delete(id)
    job?.settle(verdict)
    clearTimeout(idle)
    if (jobs.size === 0) idle = setTimeout(stop, IDLE_MS).unref()
  }

  function stop(): Promise<unknown> {
    const stopped = thread?.worker.terminate()
    thread = undefined
    for (const id of [...jobs.keys()]) finish(id, UNDECIDED)
    clearTimeout(idle)
    return Promise.resolve(stopped)
  }

  return {
    async judge(raw, envelope) {
      clearTimeout(idle)
      thread ??= start()
      const { worker, ready } = thread
      await ready
      if (thread?.worker !== worker) return UNDECIDED
      lastJob += 1
      const job = lastJob
      return new Promise((settle) => {
        jobs.set(job, { settle, startedAt: Date.now(), late: setTimeout(stop, JUDGE_MS) })
        worker.postMessage({ job, raw, envelope } satisfies ToWorker, [raw.buffer])
      })
    },
    async [Symbol.asyncDispose]() {
      await stop()
    },
  }
}
