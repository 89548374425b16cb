import { createServer, type OutgoingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { answerQuestions, workerOptions } from '../load/worker.ts'

/** The site's answer to one request, by path. */
export type BarePages = { pages: Record<string, { headers: OutgoingHttpHeaders; body: Uint8Array }> }

/** A bare node:http handler with the same bytes and headers. */
const { pages } = await workerOptions<BarePages>()

const server = createServer((req, res) => {
  const page = pages[req.url ?? '']
  if (page === undefined) return void res.writeHead(404).end()
  res.writeHead(200, page.headers).end(page.body)
})
server.listen(0, '127.0.0.1', () => answerQuestions({ port: (server.address() as AddressInfo).port }, async () => ({})))
