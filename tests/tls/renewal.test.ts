import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import { request } from 'node:https'
import { join } from 'node:path'
import { connect } from 'node:tls'
import { newKey, publicHalf } from '@family-inbox/local-stack/secrets'
import { AuthServiceService } from '@family-inbox/proto/auth/v1/auth'
import { serveHttp } from '@family-inbox/service-kit/http/http-server'
import { createHttpAgent } from '@family-inbox/service-kit/http/https-server'
import { disposeAll } from '@family-inbox/service-kit/lifecycle/dispose-all'
import { dial } from '@family-inbox/service-kit/rpc/dial'
import { createIdentity } from '@family-inbox/service-kit/rpc/identity'
import { type Handlers, serveGrpc } from '@family-inbox/service-kit/rpc/serve'
import { transportSecurity } from '@family-inbox/service-kit/rpc/transport-security'
import test from 'ava'
import { OURS, THEIRS } from './_certificates.ts'
import { makeTlsFolder, openQuietly } from './_tls-folder.ts'

const LOCAL = { host: '127.0.0.1', port: 0 }
const definition = { createPerson: AuthServiceService.createPerson }
const handlers = { createPerson: async () => ({ personId: 'per_1', principal: '' }) } as unknown as Handlers<
  typeof definition
>
const KEYS = { auth: newKey('auth'), site: newKey('site') }

test('while a new certificate does not fit its key, services reach each other with the one before', async (t) => {
  await using folder = await makeTlsFolder(OURS.first, OURS.authority)
  await using server = await serveBoth(folder.dir)
  using caller = openCaller(folder.dir)
  const before = await server.serial()
  t.deepEqual(await caller.reach(server), ['per_1', 200])
  await writeFile(join(folder.dir, 'tls.key'), OURS.second.key)
  for (const { tls } of [server, caller, server, caller]) tls.look()
  t.deepEqual(await caller.reach(server), ['per_1', 200])
  t.is(await server.serial(), before)
  await folder.write(OURS.second)
  for (const { tls } of [server, caller]) tls.look()
  t.deepEqual(await caller.reach(server), ['per_1', 200])
  t.not(await server.serial(), before)
})

test('services that trust one more authority reach those with its certificates, without a restart', async (t) => {
  await using ours = await makeTlsFolder(OURS.first, OURS.authority)
  await using theirs = await makeTlsFolder(THEIRS.first, `${OURS.authority}${THEIRS.authority}`)
  await using server = await serveBoth(ours.dir)
  await using movedServer = await serveBoth(theirs.dir)
  using caller = openCaller(ours.dir)
  using movedCaller = openCaller(theirs.dir)
  await t.throwsAsync(movedCaller.call(server), { name: 'StatusError' })
  t.is(await movedCaller.status(server), 403)
  await t.throwsAsync(caller.call(movedServer), { name: 'StatusError' })
  await t.throwsAsync(caller.status(movedServer), { code: 'SELF_SIGNED_CERT_IN_CHAIN' })

  await writeFile(join(ours.dir, 'ca.crt'), `${OURS.authority}${THEIRS.authority}`)
  for (const { tls } of [server, caller]) tls.look()
  t.deepEqual(await movedCaller.reach(server), ['per_1', 200])
  t.deepEqual(await caller.reach(movedServer), ['per_1', 200])
})

type Both = { grpcPort: number; httpPort: number }

/** What a service serves to others: gRPC and HTTPS. */
async function serveBoth(dir: string) {
  const tls = openQuietly(dir)
  const identity = await identityOf('auth', tls)
  const logger = { info() {}, warn() {}, error() {} }
  const grpc = await serveGrpc({ definition, handlers, identity, logger, ...LOCAL, isReady: async () => true })
  const http = await serveHttp((_, res) => res.end(), { ...LOCAL, keepAliveMs: 5000, tls })
  return {
    tls,
    grpcPort: grpc.port,
    httpPort: http.port,
    /** Of the certificate. */
    async serial() {
      const socket = connect({ host: '127.0.0.1', servername: 'localhost', port: http.port, ca: OURS.authority })
      await once(socket, 'secureConnect')
      const { serialNumber } = socket.getPeerCertificate()
      socket.destroy()
      return serialNumber
    },
    [Symbol.asyncDispose]: () => disposeAll([grpc, http]),
  }
}

/** A service that calls others, over a new connection each time. */
function openCaller(dir: string) {
  const tls = openQuietly(dir)
  const agent = createHttpAgent('https://localhost', tls)
  async function call({ grpcPort }: Both): Promise<string> {
    const client = dial(definition, `127.0.0.1:${grpcPort}`, await identityOf('site', tls), 'localhost')
    try {
      return (await client.createPerson({ email: 'ana@almeida.example', name: 'Ana' })).personId
    } finally {
      client.close()
    }
  }
  async function status({ httpPort }: Both): Promise<number | undefined> {
    const asked = request({ host: '127.0.0.1', port: httpPort, agent }).end()
    const [answer] = (await once(asked, 'response')) as [IncomingMessage]
    answer.resume()
    await once(answer, 'end')
    agent.destroy()
    return answer.statusCode
  }
  return {
    tls,
    call,
    status,
    reach: (server: Both) => Promise.all([call(server), status(server)]),
    [Symbol.dispose]: () => agent.destroy(),
  }
}

function identityOf(service: keyof typeof KEYS, tls: ReturnType<typeof openQuietly>) {
  return createIdentity(KEYS[service], { keys: Object.values(KEYS).map(publicHalf) }, transportSecurity(tls))
}
