import { parentPort } from 'node:worker_threads'
import type { Envelope } from '../models/message.ts'
import { type FromWorker, judgeMail, type ToWorker } from './judge-mail.ts'

/** The thread in which mail is judged: keys and signatures cost time, and what reads them costs memory. DNS is asked outside. */

const REMEMBERED_MS = 30_000
const MAX_REMEMBERED = 1000

const questions = new Map<number, { resolve: (answer: unknown) => void; reject: (error: Error) => void }>()
const remembered = new Map<string, Promise<unknown>>()
let lastQuestion = 0

parentPort?.on('message', (message: ToWorker) => {
  if ('raw' in message) void judge(message.job, message.raw, message.envelope)
  else takeAnswer(message)
})

tell({ ready: true })

async function judge(job: number, raw: Uint8Array<ArrayBuffer>, envelope: Envelope): Promise<void> {
  const bytes = Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength)
  try {
    tell({ job, verdict: await judgeMail(bytes, envelope, (name, type) => look(job, name, type)) })
  } catch {
    tell({ job, verdict: undefined })
  }
}

/** Mail of one sender comes in crowds: an answer counts for half a minute, so does that there is none, but no failure. */
function look(job: number, name: string, type: string): Promise<unknown> {
  const key = `${type} ${name.toLowerCase()}`
  const known = remembered.get(key)
  if (known !== undefined) return known
  const answer = ask(job, name, type)
  if (remembered.size >= MAX_REMEMBERED) remembered.clear()
  remembered.set(key, answer)
  setTimeout(() => remembered.delete(key), REMEMBERED_MS).unref()
  answer.catch(({ code }) => /^(ENOTFOUND|ENODATA)$/.test(code) || remembered.delete(key))
  return answer
}

function ask(job: number, name: string, type: string): Promise<unknown> {
  lastQuestion += 1
  const question = lastQuestion
  tell({ job, question, name, type })
  return new Promise((resolve, reject) => questions.set(question, { resolve, reject }))
}

function takeAnswer({ question, answer, code }: Exclude<ToWorker, { raw: unknown }>): void {
  const asked = questions.get(question)
  questions.delete(question)
  if (code === undefined) asked?.resolve(answer)
  else asked?.reject(Object.assign(new Error(code), { code }))
}

function tell(message: FromWorker): void {
  parentPort?.postMessage(message)
}
