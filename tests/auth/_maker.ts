import { randomUUID } from 'node:crypto'
import { rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { LOCALHOST_CERTIFICATE, LOCALHOST_KEY } from '../_localhost-certificate.ts'

/** The web server of an app's developer: its response for each path, and the number of requests. */
export type Maker = AsyncDisposable & {
  url: (path: string) => string
  answers: Map<string, { status: number; headers?: Record<string, string>; body: string }>
  asked: string[]
  /** The environment in which services trust it. */
  serviceEnv: Record<string, string>
}

export const REDIRECT_URI = 'https://assistant.example/callback'

/** A typical client metadata document. */
export function documentOf(clientId: string, more: object = {}): string {
  return JSON.stringify({
    client_id: clientId,
    client_name: 'Assistant',
    client_uri: 'https://assistant.example/',
    redirect_uris: [REDIRECT_URI],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
    scope: 'profile:read made:up',
    ...more,
  })
}

/** Serves a document at its client id. @returns that id */
export function publish(maker: Maker, path: string, more: object = {}, headers = {}): string {
  const clientId = maker.url(path)
  maker.answers.set(path, { status: 200, headers, body: documentOf(clientId, more) })
  return clientId
}

export async function startMaker(): Promise<Maker> {
  const answers: Maker['answers'] = new Map()
  const asked: string[] = []
  const certificate = join(tmpdir(), `family-inbox-ca-${randomUUID()}.pem`)
  await writeFile(certificate, LOCALHOST_CERTIFICATE)
  const server = createServer({ key: LOCALHOST_KEY, cert: LOCALHOST_CERTIFICATE }, (req, res) => {
    asked.push(req.url ?? '')
    const { status, headers, body } = answers.get(req.url ?? '') ?? { status: 404, body: '' }
    res.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body)
  })
  await new Promise<void>((resolve) => server.listen(0, resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: (path) => `https://localhost:${port}${path}`,
    answers,
    asked,
    serviceEnv: { NODE_EXTRA_CA_CERTS: certificate },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
      await rm(certificate, { force: true })
    },
  }
}
