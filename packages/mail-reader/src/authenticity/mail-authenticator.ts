import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { raceDeadline } from '@family-inbox/service-kit/rpc/deadline'
import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import type { Authenticity, Envelope } from './authenticity.ts'

/** Total DNS time for one mail. */
const DNS_MS = 2500
/** The thread then ends. With several jobs it is unknown which one kept it busy. */
const AUTHENTICATE_MS = 3500
/** Starting it takes as long as some dozen checks. */
const IDLE_MS = 60_000
const RESOURCE_LIMITS = { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 32 }

const UNDECIDED: Authenticity = { spf: 'temperror', dkim: 'temperror', dmarc: 'temperror', arc: 'temperror' }

export type ToWorker =
  | { job: number; raw: Uint8Array<ArrayBuffer>; envelope: Envelope }
  | { question: number; answer?: unknown; code?: string }

export type FromWorker =
  | { ready: true }
  | { job: number; verdict: Authenticity | undefined }
  | { job: number; question: number; name: string; type: string }

export type MailAuthenticator = AsyncDisposable & {
  /**
   * What cannot be checked in time is `temperror`. Transfers the bytes.
   * @throws StatusError UNAVAILABLE when it was not in time beside another mail: check it again, alone
   */
  authenticate(raw: Uint8Array<ArrayBuffer>, envelope: Envelope): Promise<Authenticity>
}

type Job = {
  resolveVerdict: (verdict: Authenticity) => void
  reject: (error: StatusError) => void
  startedAt: number
  late: NodeJS.Timeout
}

type Thread = { worker: Worker; ready: Promise<unknown> }

export function createMailAuthenticator(resolve: ResolveDns): MailAuthenticator {
  const jobs = new Map<number, Job>()
  let lastJob = 0
  let thread: Thread | undefined
  let idle: NodeJS.Timeout | undefined

  function start(): Thread {
    const worker = new Worker(new URL('./authentication-worker.ts', import.meta.url), {
      resourceLimits: RESOURCE_LIMITS,
    })
    const ready = Promise.race([once(worker, 'message'), once(worker, 'exit')]).catch(() => {})
    worker.on('message', (message: FromWorker) => {
      if ('question' in message) void answer(worker, message)
      else if ('job' in message) finish(message.job, message.verdict ?? UNDECIDED)
    })
    worker.on('error', stop)
    return { worker, ready }
  }

  async function answer(worker: Worker, { job, question, name, type }: Extract<FromWorker, { question: number }>) {
    const deadline = (jobs.get(job)?.startedAt ?? 0) + DNS_MS
    const reply = (message: ToWorker) => worker.postMessage(message)
    try {
      reply({ question, answer: await raceDeadline(resolve(name, type), deadline) })
    } catch (error) {
      const isLate = error instanceof StatusError
      reply({ question, code: isLate ? 'ETIMEOUT' : String((error as { code?: unknown }).code ?? 'ESERVFAIL') })
    }
  }

  function finish(id: number, verdict: Authenticity): void {
    const job = jobs.get(id)
    clearTimeout(job?.late)
    jobs.delete(id)
    job?.resolveVerdict(verdict)
    clearTimeout(idle)
    if (jobs.size === 0) idle = setTimeout(stop, IDLE_MS).unref()
  }

  function endThread(): void {
    const late = new StatusError('UNAVAILABLE', 'this check, or the one beside it, took too long')
    if (jobs.size > 1) for (const { reject } of jobs.values()) reject(late)
    void stop()
  }

  function stop(): Promise<unknown> {
    const stopped = thread?.worker.terminate()
    thread = undefined
    for (const id of [...jobs.keys()]) finish(id, UNDECIDED)
    clearTimeout(idle)
    return Promise.resolve(stopped)
  }

  return {
    async authenticate(raw, envelope) {
      clearTimeout(idle)
      thread ??= start()
      const { worker, ready } = thread
      await ready
      if (thread?.worker !== worker) return UNDECIDED
      lastJob += 1
      const job = lastJob
      return new Promise((resolveVerdict, reject) => {
        const late = setTimeout(endThread, AUTHENTICATE_MS)
        jobs.set(job, { resolveVerdict, reject, startedAt: Date.now(), late })
        worker.postMessage({ job, raw, envelope } satisfies ToWorker, [raw.buffer])
      })
    },
    async [Symbol.asyncDispose]() {
      await stop()
    },
  }
}

/** Rejects with an error carrying a Node.js DNS `code`, such as ENOTFOUND. */
export type ResolveDns = (name: string, type: string) => Promise<unknown>
