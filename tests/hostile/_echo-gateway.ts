import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '@family-inbox/local-stack/free-port'
import { identityKeys } from '@family-inbox/local-stack/secrets'
import { environmentToConfig } from '../../services/gateway/src/config.ts'
import { startGateway } from '../../services/gateway/src/service.ts'

export type Seen = { method: string; url: string; headers: Record<string, string[]>; body: string }

export type EchoGateway = AsyncDisposable & {
  port: number
  /** Everything the services received since the last call. */
  seen(): Seen[]
}

export const HOSTS = { base: 'family.example', api: 'api.family.example', inbox: 'inbox.family.example' }

/**
 * A gateway with two services that record what they receive; all other services are down.
 * @param env settings besides the addresses
 */
export async function startEchoGateway(env: Record<string, string> = {}): Promise<EchoGateway> {
  const seen: Seen[] = []
  const service = createServer(async (req, res) => {
    const chunks: Buffer[] = []
    try {
      for await (const chunk of req) chunks.push(chunk)
    } catch {
      return // the gateway aborted the request
    }
    const headers: Record<string, string[]> = {}
    for (let at = 0; at < req.rawHeaders.length; at += 2) {
      const name = req.rawHeaders[at]?.toLowerCase() ?? ''
      headers[name] = [...(headers[name] ?? []), req.rawHeaders[at + 1] ?? '']
    }
    seen.push({ method: req.method ?? '', url: req.url ?? '', headers, body: Buffer.concat(chunks).toString() })
    res.end('ok')
  })
  service.listen(0, '127.0.0.1')
  await once(service, 'listening')
  const target = `http://127.0.0.1:${(service.address() as AddressInfo).port}`
  const dataDir = await mkdtemp(join(tmpdir(), 'echo-gateway-'))
  const { privateKeys, publicKeys } = await identityKeys(dataDir)
  const port = await freePort()
  const gateway = await startGateway(
    environmentToConfig({
      LOG_LEVEL: 'error',
      HTTP_HOST: '127.0.0.1',
      PORT: `${port}`,
      BASE_URL: `https://${HOSTS.base}`,
      API_URL: `https://${HOSTS.api}`,
      INBOX_URL: `https://${HOSTS.inbox}`,
      SERVICE_KEY: JSON.stringify(privateKeys.gateway),
      SERVICE_KEYS: JSON.stringify(publicKeys),
      AUTH_HTTP_ADDRESS: target,
      SITE_HTTP_ADDRESS: target,
      ...Object.fromEntries(AWAY.map((name) => [`${name}_ADDRESS`, '127.0.0.1:9'])),
      ...env,
    }),
  )
  return {
    port,
    seen: () => seen.splice(0),
    async [Symbol.asyncDispose]() {
      await gateway[Symbol.asyncDispose]()
      service.closeAllConnections()
      service.close()
      await rm(dataDir, { recursive: true })
    },
  }
}

const AWAY = ['AUTH', 'CARE_CIRCLE', 'INBOX', 'SANDBOX', 'PIPE']

/** Sends bytes and reads until there is a response or the connection ends. @param from the loopback address to call from */
export function exchange(port: number, bytes: string, from = '127.0.0.1'): Promise<string> {
  return new Promise((resolve) => {
    let text = ''
    const socket = connect({ port, host: '127.0.0.1', localAddress: from })
    const done = () => {
      socket.destroy()
      resolve(text)
    }
    socket.setTimeout(5000, done)
    socket.on('error', done)
    socket.on('close', done)
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1')
      if (isWhole(text)) done()
    })
    socket.write(bytes, 'latin1')
  })
}

/** Whether the final response is complete, as far as its length is known. */
function isWhole(text: string): boolean {
  const final = text.replace(/^HTTP\/1\.1 100 Continue\r\n\r\n/, '')
  const [head = '', ...rest] = final.split('\r\n\r\n')
  if (rest.length === 0) return false
  const length = /\r\ncontent-length: (\d+)/i.exec(head)?.[1]
  if (length === undefined) return rest.join('\r\n\r\n').endsWith('0') || rest.length > 1
  return Buffer.byteLength(rest.join('\r\n\r\n'), 'latin1') >= Number(length)
}
