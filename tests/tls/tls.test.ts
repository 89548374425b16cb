import { X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { request } from 'node:https'
import { text } from 'node:stream/consumers'
import { type ConnectionOptions, connect } from 'node:tls'
import { freePort } from '@family-inbox/local-stack/free-port'
import { findConnectionFault } from '@family-inbox/ops/connection-fault'
import { runOps } from '@family-inbox/ops/run-ops'
import { AuthServiceService } from '@family-inbox/proto/auth/v1/auth'
import { dial } from '@family-inbox/service-kit/rpc/dial'
import { createIdentity } from '@family-inbox/service-kit/rpc/identity'
import { transportSecurity } from '@family-inbox/service-kit/rpc/transport-security'
import anyTest, { type TestFn } from 'ava'
import { type Family, startFamily } from '../_family.ts'
import { until } from '../_wait.ts'
import { OURS, THEIRS } from './_certificates.ts'
import { makeTlsFolder, openQuietly, type TlsFolder } from './_tls-folder.ts'

const test = anyTest.serial as TestFn<{ family: Family; folder: TlsFolder; apiPort: number }>

anyTest.before(async (t) => {
  const folder = await makeTlsFolder(OURS.first, OURS.authority)
  const [base, api, inbox] = [await freePort(), await freePort(), await freePort()]
  const family = await startFamily({
    processes: 'seven',
    ownMongod: true,
    env: {
      GRPC_TLS_DIR: folder.dir,
      HTTP_TLS_DIR: folder.dir,
      BASE_URL: `https://localhost:${base}`,
      API_URL: `https://localhost:${api}`,
      INBOX_URL: `https://localhost:${inbox}`,
    },
  })
  t.context = { family, folder, apiPort: api }
})

anyTest.after.always(async (t) => {
  const { family, folder } = t.context as { family?: Family; folder?: TlsFolder }
  await family?.[Symbol.asyncDispose]()
  await folder?.[Symbol.asyncDispose]()
})

test('the end of each certificate is exported, so that an alarm rings before it', async (t) => {
  const { metricsUrls } = t.context.family.stack
  const end = Date.parse(new X509Certificate(OURS.first.certificate).validTo) / 1000
  const authorityEnd = Date.parse(new X509Certificate(OURS.authority).validTo) / 1000
  const endIn = async (service: string, setting: string) => {
    const page = await (await fetch(String(metricsUrls[service]))).text()
    return Number(page.match(new RegExp(`certificate_end_timestamp_seconds\\{setting="${setting}"\\} (\\S+)`))?.[1])
  }
  for (const [service, setting] of [
    ['gateway', 'HTTP_TLS_DIR'],
    ['gateway', 'GRPC_TLS_DIR'],
    ['inbox', 'GRPC_TLS_DIR'],
  ] as const)
    t.is(await endIn(service, setting), Math.min(end, authorityEnd), `${service} ${setting}`)
})

test('everything works with certificates, and browsers get HSTS', async (t) => {
  const { stack, family } = t.context.family
  const call = request(`${stack.apiUrl}/mcp/v1`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${family.keys.owner}` },
    ca: OURS.authority,
    agent: false,
  })
  call.end(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'list_loved_ones' } }))
  const [answer] = (await once(call, 'response')) as [IncomingMessage]
  t.is(answer.statusCode, 200)
  t.regex(await text(answer), /inboxAddress/)
  t.regex(String(answer.headers['strict-transport-security']), /^max-age=31536000/)
  const urls = [`${stack.baseUrl}/`, `${stack.baseUrl}/nothing-here`, `${stack.baseUrl}/livez`, `${stack.apiUrl}/none`]
  for (const url of [...urls, `${stack.inboxUrl}/sign-in`, `${stack.inboxUrl}/oauth/jwks`]) {
    const asked = request(url, { ca: OURS.authority, agent: false }).end()
    const [{ headers }] = (await once(asked, 'response')) as [IncomingMessage]
    t.regex(String(headers['strict-transport-security']), /^max-age=31536000/, url)
    t.is(headers['x-content-type-options'], 'nosniff', url)
  }
})

test('a probe without a certificate works on the metrics port, and fails when the service is not ready', async (t) => {
  const { stack } = t.context.family
  const statusOf = async (service: string, path: string) =>
    (await fetch(new URL(path, stack.metricsUrls[service]), { signal: AbortSignal.timeout(10_000) })).status
  for (const service of ['auth', 'care-circle', 'inbox', 'pipe', 'sandbox']) {
    t.is(await statusOf(service, '/livez'), 200, service)
    t.is(await statusOf(service, '/readyz'), 200, service)
  }
  t.is(await statusOf('site', '/readyz'), 404, 'where no gRPC is served there is nothing to say')
  await stack.pause('mongod')
  try {
    await until(async () => (await statusOf('inbox', '/readyz')) === 503)
    t.is(await statusOf('inbox', '/livez'), 200, 'nobody is killed because a database is away')
  } finally {
    stack.resume('mongod')
  }
  await until(async () => (await statusOf('inbox', '/readyz')) === 200)
})

test('TLS older than 1.2 is refused', async (t) => {
  const { apiPort } = t.context
  t.is(await protocolOf({ port: apiPort, minVersion: 'TLSv1.2', maxVersion: 'TLSv1.2' }), 'TLSv1.2')
  t.is(await protocolOf({ port: apiPort }), 'TLSv1.3')
  // OpenSSL requires the lowest security level for it.
  const old = { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' } as const
  await t.throwsAsync(protocolOf({ port: apiPort, ...old }), { message: /protocol version|ECONNRESET/ })
})

test('a service without a certificate of our authority reaches no one', async (t) => {
  const { stack } = t.context.family
  await using theirs = await makeTlsFolder(THEIRS.first, OURS.authority)
  for (const tlsDir of [undefined, theirs.dir, stack.target.tlsDir]) {
    const tls = tlsDir === undefined ? undefined : openQuietly(tlsDir)
    const identity = await createIdentity(stack.opsKey, stack.serviceKeys, transportSecurity(tls))
    const auth = dial(AuthServiceService, String(stack.addresses.auth), identity)
    const asked = auth.createPerson({ email: 'eve@example.org', name: 'Eve' }, { deadline: Date.now() + 1500 })
    if (tlsDir === stack.target.tlsDir) t.truthy((await asked).personId)
    else await t.throwsAsync(asked, { name: 'StatusError' })
    auth.close()
  }
})

test('the operator command says why it reaches no service', async (t) => {
  const { stack } = t.context.family
  await using theirs = await makeTlsFolder(THEIRS.first, OURS.authority)
  await using strangers = await makeTlsFolder(OURS.first, THEIRS.authority)
  const ours = stack.target.tlsDir
  const nobody = `127.0.0.1:${await freePort()}`
  const addresses = Object.fromEntries(
    Object.entries({ AUTH: 'auth', CARE_CIRCLE: 'care-circle', INBOX: 'inbox', PIPE: 'pipe' }).map(
      ([name, service]) => [`${name}_ADDRESS`, String(stack.addresses[service])],
    ),
  )
  const keys = { SERVICE_KEY: JSON.stringify(stack.opsKey), SERVICE_KEYS: JSON.stringify(stack.serviceKeys) }
  const errorOf = async (changed: Record<string, string | undefined>) => {
    let printed = ''
    const err = (text: string) => {
      printed += text
    }
    const io = { env: { ...addresses, ...keys, ...changed }, out() {}, err }
    t.is(await runOps(['partners', 'list'], io), 1)
    return printed
  }
  t.regex(await errorOf({ GRPC_TLS_DIR: ours }), /^pipe cannot be reached at .*certificate is not for pipe\./)
  t.regex(await errorOf({}), /does not answer without TLS\. Set GRPC_TLS_DIR/)
  t.regex(await errorOf({ GRPC_TLS_DIR: strangers.dir }), /not by the authority in ca\.crt of GRPC_TLS_DIR/)
  t.regex(await errorOf({ GRPC_TLS_DIR: ours, PIPE_ADDRESS: nobody }), /nothing listens there/)
  const { hostname, port } = new URL(String(stack.metricsUrls.pipe))
  t.regex(
    await errorOf({ GRPC_TLS_DIR: ours, PIPE_ADDRESS: `${hostname}:${port}` }),
    /does not use TLS\. Unset GRPC_TLS_DIR/,
  )
  const refused = await findConnectionFault(String(stack.addresses.pipe), { tlsDir: theirs.dir })
  t.regex(String(refused), /refuses the certificate in GRPC_TLS_DIR/)
  t.is(await findConnectionFault(String(stack.addresses.pipe), { tlsDir: ours }), undefined)
})

test('a renewed certificate is used without a restart', async (t) => {
  const { folder, apiPort } = t.context
  const before = await serialOf(apiPort)
  await folder.write(OURS.second)
  await t.notThrowsAsync(until(async () => (await serialOf(apiPort)) !== before))
})

async function protocolOf(options: ConnectionOptions): Promise<string | null> {
  using socket = await open(options)
  return socket.getProtocol()
}

async function serialOf(port: number): Promise<string> {
  using socket = await open({ port })
  return socket.getPeerCertificate().serialNumber
}

async function open(options: ConnectionOptions) {
  const socket = connect({ host: 'localhost', ca: OURS.authority, ...options })
  await once(socket, 'secureConnect')
  return Object.assign(socket, { [Symbol.dispose]: () => void socket.destroy() })
}
