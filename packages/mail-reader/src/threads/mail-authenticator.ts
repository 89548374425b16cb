import { MessageChannel, type MessagePort } from 'node:worker_threads'
import { raceDeadline } from '@family-inbox/service-kit/rpc/deadline'
import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import { LRUCache } from 'lru-cache'
import type { DnsAnswer, DnsQuestion } from '../authenticity/authentication-worker.ts'
import type { Authenticity, ResolveDns, SmtpEnvelope } from '../authenticity/authenticity.ts'
import type { ReaderPool } from './reader-pool.ts'

export type MailAuthenticator = {
  /**
   * Answers `temperror` for a check that takes too long. Owners take turns. Transfers the bytes.
   * @throws after the pool's disposal, or when disposed meanwhile: the mail is not decided
   */
  authenticate(owner: string, raw: Uint8Array<ArrayBuffer>, envelope: SmtpEnvelope): Promise<Authenticity>
}

/** Total DNS time for one mail. */
const DNS_MS = 2500
/** Mail from one sender comes in bursts. */
const DNS_CACHE = { max: 1000, ttl: 30_000 }
const UNDECIDED: Authenticity = { spf: 'temperror', dkim: 'temperror', dmarc: 'temperror', arc: 'temperror' }

/** Checks mails in threads, each alone in its own: one that takes too long decides about no other. They ask for DNS here. */
export function createMailAuthenticator(pool: ReaderPool, resolve: ResolveDns): MailAuthenticator {
  const resolveCached = cached(resolve)
  return {
    async authenticate(owner, raw, envelope) {
      const { port1, port2 } = new MessageChannel()
      answerQuestions(port1, resolveCached)
      try {
        return await pool.run('authenticate', owner, { raw, envelope, resolver: port2 }, [raw.buffer, port2])
      } catch (error) {
        if (pool.isDisposed) throw error
        return UNDECIDED
      } finally {
        port1.close()
      }
    },
  }
}

function answerQuestions(port: MessagePort, resolve: ResolveDns): void {
  let deadline: number | undefined
  port.on('message', async ({ question, name, type }: DnsQuestion) => {
    deadline ??= Date.now() + DNS_MS
    const reply = (message: DnsAnswer) => port.postMessage(message)
    try {
      reply({ question, answer: await raceDeadline(resolve(name, type), deadline) })
    } catch (error) {
      const isLate = error instanceof StatusError
      reply({ question, code: isLate ? 'ETIMEOUT' : String((error as { code?: unknown }).code ?? 'ESERVFAIL') })
    }
  })
  port.unref()
}

/** Keeps answers. Among failures, it keeps only "no such name". */
function cached(resolve: ResolveDns): ResolveDns {
  const answers = new LRUCache<string, Promise<unknown>>(DNS_CACHE)
  return (name, type) => {
    const key = `${type} ${name.toLowerCase()}`
    const known = answers.get(key)
    if (known !== undefined) return known
    const answer = resolve(name, type)
    answers.set(key, answer)
    answer.catch(({ code }) => /^(ENOTFOUND|ENODATA)$/.test(code) || answers.delete(key))
    return answer
  }
}
