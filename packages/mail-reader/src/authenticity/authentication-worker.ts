import type { MessagePort } from 'node:worker_threads'
import { authenticateMail } from './authenticate-mail.ts'
import type { Authenticity, SmtpEnvelope } from './authenticity.ts'

export type AuthenticationTask = { raw: Uint8Array<ArrayBuffer>; envelope: SmtpEnvelope; resolver: MessagePort }
/** A question about DNS, which this thread cannot reach. */
export type DnsQuestion = { question: number; name: string; type: string }
export type DnsAnswer = { question: number; answer?: unknown; code?: string }

type Pending = { resolve: (answer: unknown) => void; reject: (error: Error) => void }

/** Runs in a worker thread. */
export async function runAuthentication({ raw, envelope, resolver }: AuthenticationTask): Promise<Authenticity> {
  const asked: Pending[] = []
  resolver.on('message', ({ question, answer, code }: DnsAnswer) => {
    if (code === undefined) asked[question]?.resolve(answer)
    else asked[question]?.reject(Object.assign(new Error(code), { code }))
  })
  const ask = (name: string, type: string) =>
    new Promise<unknown>((resolve, reject) => {
      const question = asked.push({ resolve, reject }) - 1
      resolver.postMessage({ question, name, type } satisfies DnsQuestion)
    })
  try {
    return await authenticateMail(Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength), envelope, ask)
  } finally {
    resolver.close()
  }
}
