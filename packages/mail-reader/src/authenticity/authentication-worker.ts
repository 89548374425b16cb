import { parentPort } from 'node:worker_threads'
import { authenticateMail } from './authenticate-mail.ts'
import type { Envelope } from './authenticity.ts'
import type { FromWorker, ToWorker } from './mail-authenticator.ts'

const CACHE_MS = 30_000
const MAX_CACHED = 1000

const questions = new Map<number, { resolve: (answer: unknown) => void; reject: (error: Error) => void }>()
const cache = new Map<string, Promise<unknown>>()
let lastQuestion = 0

parentPort?.on('message', (message: ToWorker) => {
  if ('raw' in message) void runJob(message.job, message.raw, message.envelope)
  else settleQuestion(message)
})

post({ ready: true })

async function runJob(job: number, raw: Uint8Array<ArrayBuffer>, envelope: Envelope): Promise<void> {
  const bytes = Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength)
  try {
    post({ job, verdict: await authenticateMail(bytes, envelope, (name, type) => resolveCached(job, name, type)) })
  } catch {
    post({ job, verdict: undefined })
  }
}

/** Mail from one sender comes in bursts. Of failures, only "no such name" is cached. */
function resolveCached(job: number, name: string, type: string): Promise<unknown> {
  const key = `${type} ${name.toLowerCase()}`
  const cached = cache.get(key)
  if (cached !== undefined) return cached
  const answer = resolveInParent(job, name, type)
  if (cache.size >= MAX_CACHED) cache.clear()
  cache.set(key, answer)
  setTimeout(() => cache.delete(key), CACHE_MS).unref()
  answer.catch(({ code }) => /^(ENOTFOUND|ENODATA)$/.test(code) || cache.delete(key))
  return answer
}

function resolveInParent(job: number, name: string, type: string): Promise<unknown> {
  lastQuestion += 1
  const question = lastQuestion
  post({ job, question, name, type })
  return new Promise((resolve, reject) => questions.set(question, { resolve, reject }))
}

function settleQuestion({ question, answer, code }: Exclude<ToWorker, { raw: unknown }>): void {
  const pending = questions.get(question)
  questions.delete(question)
  if (code === undefined) pending?.resolve(answer)
  else pending?.reject(Object.assign(new Error(code), { code }))
}

function post(message: FromWorker): void {
  parentPort?.postMessage(message)
}
