import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import { LRUCache } from 'lru-cache'

/** Long enough to absorb a flood, short enough that nobody sees stale pages. */
const KEPT_MS = 1000
const MOST_BYTES = 16 * 1024 * 1024
const LARGEST_BODY = 256 * 1024
/** No browser sends longer ones. */
const LONGEST_KEY = 2000
const VARY = new Set(['accept', 'accept-encoding'])
/** Headers of one connection or one request. */
const NOT_KEPT = new Set(['connection', 'keep-alive', 'transfer-encoding', 'upgrade', 'trailer', 'x-request-id'])

export type ResponseCache = {
  /** Replays the cached response. @returns false when there is none */
  replay(req: IncomingMessage, res: ServerResponse): boolean
  keep(req: IncomingMessage, answer: IncomingMessage, res: ServerResponse): void
}

type Kept = { status: number; headers: string[]; body: Buffer }

/** A shared cache (RFC 9111) of `public` responses for one second, by method, address and negotiation headers. */
export function createResponseCache(): ResponseCache {
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
      // Read now: the headers of `res` are gone once they are sent.
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

/** Whether a whole response up to a second old will do (RFC 9111 section 5.2.1). */
function isPlain({ method, headers }: IncomingMessage): boolean {
  if (method !== 'GET' && method !== 'HEAD') return false
  return headers['cache-control'] === undefined && headers.range === undefined && headers.authorization === undefined
}

function keyOf({ method, url, headers, socket }: IncomingMessage): string {
  const { host, accept = '', 'accept-encoding': encoding = '', 'if-none-match': known = '' } = headers
  return `${method} ${socket.localPort} ${host} ${url}\n${accept}\n${encoding}\n${known}`
}

function isPublic({ 'cache-control': control = '', vary = '', 'set-cookie': cookies }: IncomingHttpHeaders): boolean {
  const names = vary.split(',').map((name) => name.trim().toLowerCase())
  return /\bpublic\b/.test(control) && cookies === undefined && names.every((name) => name === '' || VARY.has(name))
}

/** Alternating names and values, the fastest form for Node.js to write. */
function flatten(headers: Record<string, unknown>): string[] {
  const passed = Object.entries(headers).filter(([name, value]) => value !== undefined && !NOT_KEPT.has(name))
  return passed.flatMap(([name, value]) => [name, String(value)])
}
