import { request as httpRequest } from 'node:http'
import { freePort } from '@family-inbox/local-stack/free-port'
import { isLoopbackUrl } from '@family-inbox/service-kit/http/loopback'
import { environmentToConfig } from '@family-inbox/site/config'
import { startSite } from '@family-inbox/site/service'
import { newWorld, serveWorld, type World } from './_world.ts'

export type Answer = {
  status: number
  headers: Record<string, string | string[] | undefined>
  body: string
  bytes: Buffer
}

export type RequestOptions = {
  method?: string
  headers?: Record<string, string>
  /** Form fields, sent the way our own pages send them. */
  form?: Record<string, string> | [string, string][]
  /** The Host header; the application's by default. */
  host?: string
}

export type RunningSite = AsyncDisposable & {
  world: World
  url: string
  publicUrl: string
  port: number
  request(path: string, options?: RequestOptions): Promise<Answer>
}

export type SiteOptions = { world?: World; inboxUrl?: string; baseUrl?: string; env?: Record<string, string> }

/** Runs the site in this process, with a fake world instead of the other services. */
export async function openSite(options: SiteOptions = {}): Promise<RunningSite> {
  const world = options.world ?? newWorld()
  const services = await serveWorld(world)
  const port = await freePort()
  const url = options.inboxUrl ?? `http://localhost:${port}`
  const publicUrl = options.baseUrl ?? `http://127.0.0.1:${port}`
  const isPublic = !isLoopbackUrl(url) || !isLoopbackUrl(publicUrl)
  const config = environmentToConfig({
    LOG_LEVEL: 'error',
    HTTP_HOST: '127.0.0.1',
    HTTP_PORT: `${port}`,
    BASE_URL: publicUrl,
    INBOX_URL: url,
    AUTH_ADDRESS: services.addresses.auth,
    CARE_CIRCLE_ADDRESS: services.addresses.careCircle,
    INBOX_ADDRESS: services.addresses.inbox,
    PIPE_ADDRESS: services.addresses.pipe,
    SANDBOX_ADDRESS: services.addresses.sandbox,
    SERVICE_KEY: JSON.stringify(services.keyOf('site')),
    SERVICE_KEYS: JSON.stringify(services.publicKeys),
    ...(isPublic && { OPERATOR_NAME: 'Test', OPERATOR_CONTACT: 'test@family.example', OPERATOR_COUNTRY: 'Portugal' }),
    ...options.env,
  })
  const site = await startSite(config)
  return {
    world,
    url,
    publicUrl,
    port,
    request: (path, request) => send(port, path, { host: new URL(url).host, ...request }, new URL(url).origin),
    async [Symbol.asyncDispose]() {
      await site[Symbol.asyncDispose]()
      await services[Symbol.asyncDispose]()
    },
  }
}

/** Returns the Set-Cookie value of a cookie, or undefined. */
export function setCookie(answer: Answer, name: string): string | undefined {
  const all = answer.headers['set-cookie'] ?? []
  return (Array.isArray(all) ? all : [all]).find((cookie) => cookie.startsWith(`${name}=`))
}

/** Returns the Cookie header a browser would send next. */
export function cookiesOf(answer: Answer): string {
  const all = answer.headers['set-cookie'] ?? []
  return (Array.isArray(all) ? all : [all]).map((cookie) => cookie.split(';')[0]).join('; ')
}

// fetch does not allow Host, Origin, Cookie, Sec-Fetch-Site or a raw path.
function send(port: number, path: string, options: RequestOptions, origin: string): Promise<Answer> {
  const body = options.form && new URLSearchParams(options.form).toString()
  const formHeaders = body !== undefined && { 'content-type': 'application/x-www-form-urlencoded', origin }
  return new Promise((resolve, reject) => {
    const request = httpRequest(
      {
        port,
        path,
        method: options.method ?? (body === undefined ? 'GET' : 'POST'),
        headers: { host: options.host, accept: 'text/html', ...formHeaders, ...options.headers },
        agent: false,
      },
      (response) => {
        const chunks: Buffer[] = []
        response.on('data', (chunk: Buffer) => chunks.push(chunk))
        response.once('error', reject)
        response.once('end', () =>
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            body: Buffer.concat(chunks).toString(),
            bytes: Buffer.concat(chunks),
          }),
        )
      },
    )
    request.once('error', reject)
    request.end(body)
  })
}
