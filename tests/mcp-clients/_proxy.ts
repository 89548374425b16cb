import { once } from 'node:events'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'

export type Proxy = AsyncDisposable & {
  url: string
  /** The revision of each tools/list that passed: the one in the body, else the one in the header. */
  revisions: string[]
}

/** Forwards to an MCP address from loopback. It adds a key, if there is one, and keeps a forged Host forged. */
export async function startProxy(target: string, key?: string): Promise<Proxy> {
  const { hostname, port, host, pathname } = new URL(target)
  const revisions: string[] = []
  const proxy = createServer(async (req, res) => {
    const chunks: Buffer[] = []
    for await (const chunk of req) chunks.push(chunk)
    const body = Buffer.concat(chunks)
    noteRevision(revisions, body, req.headers['mcp-protocol-version'])
    const isOwn = req.headers.host?.endsWith(`:${portOf()}`)
    const { 'transfer-encoding': _, ...rest } = req.headers
    const headers = {
      ...rest,
      host: isOwn ? host : req.headers.host,
      'content-length': body.length,
      ...(key !== undefined && { authorization: `Bearer ${key}` }),
    }
    const onward = request({ hostname, port, path: pathname, method: req.method, headers }, (answer) => {
      res.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(res)
    })
    onward.on('error', () => res.destroy())
    onward.end(body)
  })
  const portOf = () => (proxy.address() as AddressInfo).port
  proxy.listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  return {
    url: `http://localhost:${portOf()}/`,
    revisions,
    async [Symbol.asyncDispose]() {
      proxy.close()
      proxy.closeAllConnections()
    },
  }
}

function noteRevision(revisions: string[], body: Buffer, header: string | string[] | undefined): void {
  if (!body.includes('"tools/list"')) return
  const { method, params } = JSON.parse(body.toString())
  const inBody = params?._meta?.['io.modelcontextprotocol/protocolVersion']
  if (method === 'tools/list') revisions.push(inBody ?? String(header))
}
