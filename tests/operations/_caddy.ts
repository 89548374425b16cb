import { once } from 'node:events'
import { request } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { LOCALHOST_CERTIFICATE, LOCALHOST_KEY } from '../_localhost-certificate.ts'

/** Ends TLS for every name and passes on to one port of this machine, as the Caddy of compose.yaml does. */
export async function startCaddy(httpPort: number): Promise<AsyncDisposable & { port: number }> {
  const server = createServer({ cert: LOCALHOST_CERTIFICATE, key: LOCALHOST_KEY }, (req, res) => {
    const headers = {
      ...req.headers,
      'x-forwarded-for': '192.0.2.1',
      'x-forwarded-proto': 'https',
      'x-forwarded-host': req.headers.host,
    }
    const onward = request(
      { host: '127.0.0.1', port: httpPort, method: req.method, path: req.url, headers },
      (answer) => {
        res.writeHead(answer.statusCode ?? 502, answer.headers)
        answer.pipe(res)
      },
    )
    onward.on('error', () => res.destroy())
    req.pipe(onward)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    async [Symbol.asyncDispose]() {
      server.close()
      server.closeAllConnections()
    },
  }
}
