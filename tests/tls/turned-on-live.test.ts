import { once } from 'node:events'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { newKey, publicHalf } from '@family-inbox/local-stack/secrets'
import { AuthServiceService } from '@family-inbox/proto/auth/v1/auth'
import { TLS_STEPS, type TlsStep } from '@family-inbox/service-kit/config/tls-step'
import { serveHttp } from '@family-inbox/service-kit/http/http-server'
import { CALL_BUDGET_MS, dial } from '@family-inbox/service-kit/rpc/dial'
import { createIdentity } from '@family-inbox/service-kit/rpc/identity'
import { type Handlers, serveGrpc } from '@family-inbox/service-kit/rpc/serve'
import { transportSecurity } from '@family-inbox/service-kit/rpc/transport-security'
import { openTlsFolder } from '@family-inbox/service-kit/tls/tls-folder'
import anyTest, { type TestFn } from 'ava'
import { OURS, THEIRS } from './_certificates.ts'
import { makeTlsFolder, openQuietly, type TlsFolder } from './_tls-folder.ts'

const test = anyTest as TestFn<{ folder: TlsFolder; theirs: TlsFolder }>

const definition = { createPerson: AuthServiceService.createPerson }
const ANA = { email: 'ana@almeida.example', name: 'Ana Almeida' }
const BUSY_MS = 20_000
const KEYS = { auth: newKey('auth'), site: newKey('site') }
/** No TLS at all; both steps; and TLS alone. */
type Stage = TlsStep | 'before' | 'after'
const ORDER: readonly Stage[] = ['before', ...TLS_STEPS, 'after']

test.before(async (t) => {
  t.context.folder = await makeTlsFolder(OURS.first, OURS.authority)
  t.context.theirs = await makeTlsFolder(THEIRS.first, THEIRS.authority)
})

test.after.always(async ({ context: { folder, theirs } }) => {
  await folder?.[Symbol.asyncDispose]()
  await theirs?.[Symbol.asyncDispose]()
})

test('while TLS is turned on step by step, services one step apart reach each other both ways', async (t) => {
  for (const [nth, stage] of ORDER.entries()) {
    await using server = await serveAuth(t.context.folder, stage)
    for (const caller of ORDER.slice(Math.max(0, nth - 1), nth + 2))
      t.is(
        await call(server.port, t.context.folder, caller),
        'per_1',
        `a caller at “${caller}” calls one at “${stage}”`,
      )
  }
})

test('what skips a step is not answered, and neither is a stranger with a certificate', async (t) => {
  const { folder, theirs } = t.context
  const skipping: [caller: Stage, called: Stage][] = [
    ['before', 'after'],
    ['introduce', 'after'],
    ['use', 'before'],
    ['after', 'before'],
  ]
  for (const [caller, called] of skipping) {
    await using server = await serveAuth(folder, called)
    await t.throwsAsync(call(server.port, folder, caller), { name: 'StatusError' }, `${caller} calls ${called}`)
  }
  await using server = await serveAuth(folder, 'use')
  await t.throwsAsync(call(server.port, theirs, 'use'), { name: 'StatusError' })
})

test('a service that ends meanwhile answers the calls in progress first', async (t) => {
  const { folder } = t.context
  for (const stage of TLS_STEPS) {
    const arrived = Promise.withResolvers<void>()
    const released = Promise.withResolvers<void>()
    const server = await serveAuth(folder, stage, async () => {
      arrived.resolve()
      await released.promise
    })
    const answer = call(server.port, folder, stage, BUSY_MS)
    await arrived.promise
    const order: string[] = []
    const ended = server[Symbol.asyncDispose]().then(() => order.push('ended'))
    const connecting = once(connect(server.port, '127.0.0.1'), 'connect')
    await t.throwsAsync(connecting, { code: 'ECONNREFUSED' }, 'it accepts no new connection')
    released.resolve()
    t.is(await answer, 'per_1')
    order.push('answered')
    await ended
    t.deepEqual(order, ['answered', 'ended'], stage)
  }
})

test('meanwhile HTTP and HTTPS are answered at one port, over connections that stay open', async (t) => {
  const { dir } = t.context.folder
  const answer = (req: IncomingMessage) => text(req)
  const options = { host: '127.0.0.1', port: 0, keepAliveMs: 5000, plaintext: true }
  await using server = await serveHttp(async (req, res) => res.end(`${await answer(req)}!`), {
    ...options,
    tls: openTlsFolder('HTTP_TLS_DIR', dir, { info() {}, warn() {} }),
  })
  const body = 'a'.repeat(100_000)
  for (const scheme of ['http', 'https', 'http'] as const)
    t.deepEqual(await post(scheme, server.port, body), { status: 200, text: `${body}!` })
  const silent = connect(server.port, '127.0.0.1')
  await once(silent, 'connect')
  t.is((await post('https', server.port, body)).status, 200, 'nobody waits for one that says nothing')
  silent.destroy()
})

test('over TLS, a service still answers only those with a certificate of ours', async (t) => {
  const { dir } = t.context.folder
  const options = { host: '127.0.0.1', port: 0, keepAliveMs: 5000, plaintext: true, tls: openQuietly(dir) }
  await using server = await serveHttp((_, res) => res.end('here'), options)
  t.is((await post('https', server.port, '')).status, 403)
  t.is((await post('https', server.port, '', OURS.first)).status, 200)
  t.is((await post('http', server.port, '')).status, 200)
})

async function serveAuth(folder: TlsFolder, stage: Stage, work = async () => {}) {
  const createPerson = async () => {
    await work()
    return { personId: 'per_1', principal: '' }
  }
  const handlers = { createPerson }
  return serveGrpc({
    definition,
    handlers: handlers as unknown as Handlers<typeof definition>,
    identity: await identityOf('auth', folder, stage),
    logger: { info() {}, warn() {}, error() {} },
    host: '127.0.0.1',
    port: 0,
    isReady: async () => true,
  })
}

async function call(port: number, folder: TlsFolder, stage: Stage, budgetMs = CALL_BUDGET_MS): Promise<string> {
  const client = dial(definition, `127.0.0.1:${port}`, await identityOf('site', folder, stage), 'localhost')
  try {
    const { personId } = await client.createPerson(ANA, { deadline: Date.now() + budgetMs })
    return personId
  } finally {
    client.close()
  }
}

function identityOf(service: 'auth' | 'site', { dir }: TlsFolder, stage: Stage) {
  const keys = { keys: Object.values(KEYS).map(publicHalf) }
  const step = TLS_STEPS.find((name) => name === stage)
  const tls = stage === 'before' ? undefined : openQuietly(dir)
  return createIdentity(KEYS[service], keys, transportSecurity(tls, step))
}

async function post(scheme: 'http' | 'https', port: number, body: string, client?: typeof OURS.first) {
  const request = scheme === 'http' ? httpRequest : httpsRequest
  const certificate = client && { cert: client.certificate, key: client.key }
  const options = { host: 'localhost', port, method: 'POST', ca: OURS.authority, ...certificate }
  const asked = request({ ...options, host: '127.0.0.1', servername: 'localhost' }).end(body)
  const [answer] = (await once(asked, 'response')) as [IncomingMessage]
  return { status: answer.statusCode, text: await text(answer) }
}
