import { createServer, type OutgoingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { answerQuestions, workerOptions } from '../load/worker.ts'

/** What to answer, by path: what the site answered to the one request that is made for it. */
export type BarePages = { pages: Record<string, { headers: OutgoingHttpHeaders; body: Uint8Array }> }

/** One bare node:http handler that answers the same bytes and headers, and knows nothing else. */
const { pages } = await workerOptions<BarePages>()

const server = createServer((req, res) => {
  const page = pages[req.url ?? '']
  if (page === undefined) return void res.writeHead(404).end()
  res.writeHead(200, page.headers).end(page.body)
})
server.listen(0, '127.0.0.1', () => answerQuestions({ port: (server.address() as AddressInfo).port }, async () => ({})))
