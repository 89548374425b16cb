import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import { LRUCache } from 'lru-cache'

/** Long enough to take the weight off a flood, short enough that nobody sees anything old. */
const KEPT_MS = 1000
const MOST_BYTES = 16 * 1024 * 1024
const LARGEST_BODY = 256 * 1024
/** Longer requests come from no browser, and are not worth their room. */
const LONGEST_KEY = 2000

export type RecentAnswers = {
  /** Answers a request like the same one was answered a moment ago. @returns false when there was none */
  replay(req: IncomingMessage, res: ServerResponse): boolean
  /** Keeps an answer on its way through, if it is one that may be kept. */
  keep(req: IncomingMessage, answer: IncomingMessage, res: ServerResponse): void
}

type Kept = { status: number; headers: string[]; body: Buffer }

/**
 * A shared cache (RFC 9111) of what the public site answered within the last second. It keeps what says `public` only, and
 * replays it only to a request that is the same in method, address and every header the answer can depend on, conditions
 * included: what is negotiated stays negotiated, and no ETag meets another representation.
 */
export function createRecentAnswers(): RecentAnswers {
  const kept = new LRUCache<string, Kept>({
    max: 2000,
    maxSize: MOST_BYTES,
    sizeCalculation: ({ body }, key) => body.length + key.length + 2000,
    ttl: KEPT_MS,
  })
  return {
    replay(req, res) {
      const answer = isPlain(req) ? kept.get(keyOf(req)) : undefined
      if (answer === undefined) return false
      req.resume()
      res.writeHead(answer.status, answer.headers).end(answer.body)
      return true
    },
    keep(req, answer, res) {
      const { statusCode = 0, headers } = answer
      if (!isPlain(req) || (statusCode !== 200 && statusCode !== 304) || !isPublic(headers)) return
      const key = keyOf(req)
      if (key.length > LONGEST_KEY) return
      // Noted now: the headers of `res` are gone once they are sent.
      const ours = res.getHeaders()
      const chunks: Buffer[] = []
      answer.on('data', (chunk: Buffer) => chunks.push(chunk))
      answer.once('end', () => {
        const body = Buffer.concat(chunks)
        if (!answer.complete || body.length > LARGEST_BODY) return
        kept.set(key, { status: statusCode, headers: flatten({ ...ours, ...headers, age: '0' }), body })
      })
    },
  }
}

/** Whether a request asks for a whole answer that need not be fresher than a second (RFC 9111 section 5.2.1). */
function isPlain({ method, headers }: IncomingMessage): boolean {
  if (method !== 'GET' && method !== 'HEAD') return false
  return headers['cache-control'] === undefined && headers.range === undefined && headers.authorization === undefined
}

/** All that the answer can depend on: the address, what Vary names, and the conditions. */
function keyOf({ method, url, headers, socket }: IncomingMessage): string {
  const { host, accept = '', 'accept-encoding': encoding = '', 'if-none-match': known = '' } = headers
  return `${method} ${socket.localPort} ${host} ${url}\n${accept}\n${encoding}\n${known}`
}

const VARY = new Set(['accept', 'accept-encoding'])

function isPublic({ 'cache-control': control = '', vary = '', 'set-cookie': cookies }: IncomingHttpHeaders): boolean {
  const names = vary.split(',').map((name) => name.trim().toLowerCase())
  return /\bpublic\b/.test(control) && cookies === undefined && names.every((name) => name === '' || VARY.has(name))
}

/** What belongs to one connection, or to one request. */
const NOT_KEPT = new Set(['connection', 'keep-alive', 'transfer-encoding', 'upgrade', 'trailer', 'x-request-id'])

/** Headers as a list of names and values by turns, which is the shortest way out of Node.js. */
function flatten(headers: Record<string, unknown>): string[] {
  const passed = Object.entries(headers).filter(([name, value]) => value !== undefined && !NOT_KEPT.has(name))
  return passed.flatMap(([name, value]) => [name, String(value)])
}
