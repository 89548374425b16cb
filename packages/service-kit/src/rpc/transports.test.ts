import { generateKeyPairSync } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { AuthServiceService } from '@family-inbox/proto/auth/v1/auth'
import test from 'ava'
import { currentRequest, newRequestId, runInRequest } from '../observability/request.ts'
import type { Definition } from './definition.ts'
import { type CallOptions, dial, type RpcClient } from './dial.ts'
import { watchHealth } from './health.ts'
import { createIdentity, type Identity } from './identity.ts'
import { type Handlers, serveGrpc } from './serve.ts'
import { type Status, StatusError } from './status-error.ts'

const { getToolKey, recordAuditEntries, exportRecords } = AuthServiceService
const definition = { getToolKey, recordAuditEntries, exportRecords } satisfies Definition

type Auth = Handlers<typeof definition>
type Client = RpcClient<typeof definition>

const TRANSPORTS = ['gRPC', 'in-process'] as const
const DEADLINE_MS = 20_000

const keys = ['auth', 'site', 'inbox'].map((service) => {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  const jwk = { kid: `${service}-1`, service, alg: 'EdDSA' }
  return {
    service,
    privateKey: { ...privateKey.export({ format: 'jwk' }), ...jwk },
    publicKey: { ...publicKey.export({ format: 'jwk' }), ...jwk },
  }
})

function identityOf(service: string, publicKeys = keys): Promise<Identity> {
  const key = keys.find((candidate) => candidate.service === service)
  return createIdentity(key?.privateKey, { keys: publicKeys.map(({ publicKey }) => publicKey) })
}

async function serve(
  handlers: Partial<Auth>,
  options: { isReady?: () => Promise<boolean>; reflection?: boolean } = {},
) {
  const { isReady = async () => true, reflection } = options
  return serveGrpc({
    definition,
    handlers: handlers as Auth,
    identity: await identityOf('auth'),
    logger: { info() {}, warn() {}, error() {} },
    host: '127.0.0.1',
    port: 0,
    reflection,
    isReady,
  })
}

type Scenario = {
  handlers: Partial<Auth>
  ask(client: Client, identity: Identity): Promise<unknown>
  caller?: () => Promise<Identity>
  dialed?: Definition
}

/** Runs a scenario over each transport and returns what its caller and its handlers saw. */
async function compare({ handlers, ask, caller = () => identityOf('site'), dialed = definition }: Scenario) {
  const outcomes: unknown[] = []
  for (const transport of TRANSPORTS) {
    await using server = await serve(handlers)
    const address = transport === 'gRPC' ? `127.0.0.1:${server.port}` : 'in-process:auth'
    const identity = await caller()
    const client = dial(dialed, address, identity) as unknown as Client
    outcomes.push(await ask(client, identity).catch(describe))
    client.close()
  }
  return outcomes
}

function describe(error: unknown) {
  if (!(error instanceof StatusError)) throw error
  // grpc-js adds where the time went.
  const message = error.status === 'DEADLINE_EXCEEDED' ? '' : error.message
  return { status: error.status, message, detail: error.detail }
}

function toolKey(name: string): Auth['getToolKey'] {
  return async () => ({ key: { ...KEY, name } })
}

const KEY = { id: 'key_1', name: '', createdAt: undefined, lastUsedAt: undefined, revokedAt: undefined, scopes: [] }
const piece = (size: number) => ({ piece: { beginsFile: '', modifiedAt: undefined, data: Buffer.alloc(size, 7) } })

async function readAll<T>(stream: AsyncIterable<T>): Promise<T[]> {
  const read: T[] = []
  for await (const message of stream) read.push(message)
  return read
}

/** Both transports gave this. */
const both = (outcome: unknown) => [outcome, outcome]

test.serial('a call returns its response with every default filled in', async (t) => {
  const [overGrpc, inProcess] = await compare({
    handlers: { getToolKey: toolKey('Ana’s agent') },
    ask: (client) => client.getToolKey({ keyId: 'key_1' }),
  })
  t.deepEqual(inProcess, overGrpc)
  t.is((inProcess as { key: { name: string } }).key.name, 'Ana’s agent')
})

test.serial('the handler shares no memory with its caller', async (t) => {
  const sent = Buffer.from('before')
  const outcome = await compare({
    handlers: {
      async *exportRecords() {
        yield { piece: { beginsFile: '', modifiedAt: undefined, data: sent } }
      },
    },
    async ask(client) {
      for await (const { piece: one } of client.exportRecords({})) {
        sent.write('after!')
        const text = Buffer.from(one?.data ?? []).toString()
        sent.write('before')
        return text
      }
      return undefined
    },
  })
  t.deepEqual(outcome, both('before'))
})

test.serial('a field that the other side does not know is ignored', async (t) => {
  const unknownField = Buffer.from([0xfa, 0x3e, 0x02, 0x68, 0x69]) // field 1007: "hi"
  const newer = (encode: (value: never) => Buffer) => (value: never) => Buffer.concat([encode(value), unknownField])
  const dialed = { getToolKey: { ...getToolKey, requestSerialize: newer(getToolKey.requestSerialize as never) } }
  const outcome = await compare({
    dialed,
    handlers: { getToolKey: async ({ keyId }) => ({ key: { ...KEY, name: keyId } }) },
    ask: async (client) => (await client.getToolKey({ keyId: 'key_2' })).key?.name,
  })
  t.deepEqual(outcome, both('key_2'))
})

for (const name of [
  'INVALID_ARGUMENT',
  'NOT_FOUND',
  'ALREADY_EXISTS',
  'PERMISSION_DENIED',
  'RESOURCE_EXHAUSTED',
] as const)
  test.serial(`the error ${name} arrives with its message and details`, (t) => errorArrives(t, name))
for (const name of ['FAILED_PRECONDITION', 'UNAUTHENTICATED', 'UNAVAILABLE', 'INTERNAL'] as const)
  test.serial(`the error ${name} arrives with its message and details`, (t) => errorArrives(t, name))

async function errorArrives(t: { deepEqual(actual: unknown, expected: unknown): void }, name: Status) {
  const fail = () => {
    throw new StatusError(name, 'Not possible: ünusual.', { field: 'keyId', retryAfterSec: 7 })
  }
  const expected = { status: name, message: 'Not possible: ünusual.', detail: { field: 'keyId', retryAfterSec: 7 } }
  const unary = await compare({
    handlers: { getToolKey: async () => fail() },
    ask: (client) => client.getToolKey({ keyId: '' }),
  })
  t.deepEqual(unary, both(expected))
  const stream = await compare({
    handlers: {
      async *exportRecords() {
        yield piece(1)
        fail()
      },
    },
    ask: async (client) => readAll(client.exportRecords({})),
  })
  t.deepEqual(stream, both(expected))
}

test.serial('an unexpected error is hidden', async (t) => {
  const outcome = await compare({
    handlers: { getToolKey: async () => Promise.reject(new Error('secret')) },
    ask: (client) => client.getToolKey({ keyId: '' }),
  })
  t.deepEqual(outcome, both({ status: 'INTERNAL', message: 'Something went wrong on our side.', detail: {} }))
})

test.serial('a method that the server does not know is unavailable, and the error says so', async (t) => {
  const dialed = { getToolKey: { ...getToolKey, path: '/familyinbox.auth.v1.AuthService/Nothing' } }
  const [overGrpc, inProcess] = await compare({
    dialed,
    handlers: {},
    ask: (client) => client.getToolKey({ keyId: '' }),
  })
  t.deepEqual(inProcess, overGrpc)
  t.like(inProcess, { status: 'UNAVAILABLE', detail: { unknownMethod: true } })
})

test.serial('that a method is not known arrives through the services between', async (t) => {
  const outcome = await compare({
    handlers: {
      getToolKey: async () => {
        throw new StatusError('UNAVAILABLE', 'Older.', { unknownMethod: true })
      },
    },
    ask: (client) => client.getToolKey({ keyId: '' }),
  })
  for (const error of outcome) t.like(error, { status: 'UNAVAILABLE', detail: { unknownMethod: true } })
})

test.serial('a handler that is late is unavailable before its caller’s deadline', async (t) => {
  const outcome = await compare({
    handlers: { getToolKey: () => new Promise(() => {}) },
    ask: async (client) => {
      const deadline = Date.now() + 600
      const error = await client.getToolKey({ keyId: '' }, { deadline }).catch(describe)
      return { error, isInTime: Date.now() <= deadline + 500 }
    },
  })
  t.deepEqual(outcome[1], outcome[0])
  t.like(outcome[1], { error: { status: 'UNAVAILABLE' }, isInTime: true })
})

test.serial('the handler sees its caller’s deadline', async (t) => {
  let seen = 0
  const outcome = await compare({
    handlers: {
      getToolKey: async (_request, { deadline }) => {
        seen = deadline
        return { key: KEY }
      },
    },
    ask: async (client) => {
      const deadline = Date.now() + 900
      await client.getToolKey({ keyId: '' }, { deadline })
      return Math.abs(deadline - seen) < 100
    },
  })
  t.deepEqual(outcome, both(true))
})

test.serial('a call whose deadline has passed fails without reaching its handler', async (t) => {
  let calls = 0
  const outcome = await compare({
    handlers: { getToolKey: async () => ({ key: { ...KEY, name: String(++calls) } }) },
    ask: (client) => client.getToolKey({ keyId: '' }, { deadline: Date.now() - 1000 }),
  })
  t.deepEqual(outcome, both({ status: 'DEADLINE_EXCEEDED', message: '', detail: {} }))
  t.is(calls, 0)
})

test.serial('a stream ends at its deadline, and its handler ends, too', async (t) => {
  const outcome = await compare({
    handlers: { exportRecords: waitForever() },
    ask: (client) => readAll(client.exportRecords({}, { deadline: Date.now() + 700 })),
  })
  t.deepEqual(outcome, both({ status: 'DEADLINE_EXCEEDED', message: '', detail: {} }))
  await untilEnded(2)
  t.pass()
})

let ended = 0
function waitForever(): Auth['exportRecords'] {
  ended = 0
  return async function* (_request, { signal }) {
    try {
      yield piece(1)
      await new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('gone'))))
    } finally {
      ended += 1
    }
  }
}

async function untilEnded(count: number) {
  const until = Date.now() + DEADLINE_MS
  while (ended < count && Date.now() < until) await sleep(10)
  if (ended < count) throw new Error(`only ${ended} of ${count} handlers ended`)
}

test.serial('a canceled stream ends for both sides', async (t) => {
  const [overGrpc, inProcess] = await compare({
    handlers: { exportRecords: waitForever() },
    ask: async (client) => {
      const reader = new AbortController()
      const stream = client.exportRecords({}, { signal: reader.signal })[Symbol.asyncIterator]()
      await stream.next()
      const waiting = stream.next()
      reader.abort()
      return waiting.catch(describe)
    },
  })
  await untilEnded(2)
  t.deepEqual(inProcess, overGrpc)
  t.like(inProcess, { status: 'UNAVAILABLE' })
})

test.serial('a handler ends when its reader leaves', async (t) => {
  await compare({
    handlers: { exportRecords: waitForever() },
    async ask(client) {
      for await (const _ of client.exportRecords({})) break
    },
  })
  await untilEnded(2)
  t.pass()
})

test.serial('a stream arrives whole and in order, and its handler writes at the reader’s pace', async (t) => {
  const pieces = 200
  const outcome = await compare({
    handlers: {
      async *exportRecords() {
        for (ended = 0; ended < pieces; ended += 1) yield piece(64 * 1024 + ended)
      },
    },
    async ask(client) {
      const sizes: number[] = []
      let isBehind = true
      for await (const { piece: one } of client.exportRecords({})) {
        if (sizes.length === 0) {
          await sleep(300)
          isBehind = ended < pieces / 2
        }
        sizes.push(one?.data.length ?? 0)
      }
      return { isBehind, isWhole: sizes.every((size, nth) => size === 64 * 1024 + nth), count: sizes.length }
    },
  })
  t.deepEqual(outcome, both({ isBehind: true, isWhole: true, count: pieces }))
})

test.serial('a message of up to 4 MiB is carried, a larger one is refused', async (t) => {
  const limit = 4 * 1024 * 1024
  const outcome = await compare({
    handlers: {
      getToolKey: async ({ keyId }) => ({ key: { ...KEY, name: String(keyId.length) } }),
      async *exportRecords() {
        yield piece(limit + 1)
      },
    },
    ask: async (client) => [
      (await client.getToolKey({ keyId: 'x'.repeat(limit - 5) }, LONG())).key?.name,
      await client.getToolKey({ keyId: 'x'.repeat(limit) }, LONG()).catch(describe),
      await readAll(client.exportRecords({})).catch(describe),
    ],
  })
  t.deepEqual(outcome[1], outcome[0])
  t.like(outcome[1], { 0: String(limit - 5), 1: { status: 'RESOURCE_EXHAUSTED' }, 2: { status: 'RESOURCE_EXHAUSTED' } })
})

const LONG = (): CallOptions => ({ deadline: Date.now() + DEADLINE_MS })

test.serial('a service that calls for itself is known by its name', async (t) => {
  const outcome = await compare({
    handlers: { getToolKey: async (_request, { caller }) => ({ key: { ...KEY, name: JSON.stringify(caller) } }) },
    ask: async (client) => JSON.parse((await client.getToolKey({ keyId: '' })).key?.name ?? ''),
  })
  t.deepEqual(outcome, both({ kind: 'service', service: 'site' }))
})

test.serial('a person’s call carries the principal and its token', async (t) => {
  const principal = await (await identityOf('auth')).principalToken(
    { personId: 'per_1', workspaceId: 'ws_1', credentialId: 'ses_1' },
    'site',
  )
  const outcome = await compare({
    handlers: {
      getToolKey: async (_request, { caller, token }) => ({
        key: { ...KEY, name: JSON.stringify([caller, token === principal]) },
      }),
    },
    ask: async (client) => JSON.parse((await client.getToolKey({ keyId: '' }, { token: principal })).key?.name ?? ''),
  })
  t.deepEqual(outcome[1], outcome[0])
  t.like(outcome[1], { 0: { kind: 'principal', personId: 'per_1', holder: 'site' }, 1: true })
})

const refused = { status: 'UNAUTHENTICATED', message: 'The caller could not be identified.', detail: {} }

const STRANGERS: Record<string, { caller?: () => Promise<Identity>; options?: CallOptions }> = {
  'a wrong principal': { options: { token: 'x' } },
  'no token': { caller: async () => ({ ...(await identityOf('site')), serviceToken: async () => '' }) },
  'a token for another service': {
    caller: async () => {
      const site = await identityOf('site')
      return { ...site, serviceToken: () => site.serviceToken('inbox') }
    },
  },
  'a forged token': {
    caller: async () => {
      const forger = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' })
      return createIdentity({ ...forger, kid: 'site-1', service: 'site' }, { keys: [] })
    },
  },
}

for (const [name, { caller, options }] of Object.entries(STRANGERS))
  test.serial(`a caller with ${name} is refused, and no handler runs`, async (t) => {
    const handlers: Partial<Auth> = {
      getToolKey: async () => t.fail() as never,
      exportRecords: () => t.fail() as never,
    }
    const unary = await compare({ handlers, caller, ask: (client) => client.getToolKey({ keyId: '' }, options) })
    t.deepEqual(unary, both(refused))
    const stream = await compare({
      handlers,
      caller,
      ask: (client) => readAll(client.exportRecords({}, options)),
    })
    t.deepEqual(stream, both(refused))
  })

test.serial('a call carries its request’s id', async (t) => {
  const id = newRequestId()
  const outcome = await compare({
    handlers: { getToolKey: async () => ({ key: { ...KEY, name: currentRequest()?.id ?? '' } }) },
    ask: (client) => runInRequest({ id }, async () => (await client.getToolKey({ keyId: '' })).key?.name),
  })
  t.deepEqual(outcome, both(id))
})

test.serial('a call waits for its service to start', async (t) => {
  const identity = await identityOf('site')
  const client = dial(definition, 'in-process:auth', identity)
  const answer = client.getToolKey({ keyId: '' }, LONG())
  await sleep(100)
  await using _server = await serve({ getToolKey: toolKey('late') })
  t.is((await answer).key?.name, 'late')
})

test.serial('a call waits no longer than its deadline', async (t) => {
  const identity = await identityOf('site')
  for (const address of ['127.0.0.1:1', 'in-process:auth']) {
    const client = dial(definition, address, identity)
    const error = await t.throwsAsync<StatusError>(client.getToolKey({ keyId: '' }, { deadline: Date.now() + 200 }))
    t.is(error?.status, 'DEADLINE_EXCEEDED', address)
    client.close()
  }
})

test.serial('a server that stops lets its calls end first', async (t) => {
  for (const transport of TRANSPORTS) {
    const begun = Promise.withResolvers<void>()
    const server = await serve({
      getToolKey: async () => {
        begun.resolve()
        await sleep(300)
        return { key: { ...KEY, name: 'done' } }
      },
    })
    const address = transport === 'gRPC' ? `127.0.0.1:${server.port}` : 'in-process:auth'
    const client = dial(definition, address, await identityOf('site'))
    const answer = client.getToolKey({ keyId: '' }, LONG())
    await begun.promise
    await server[Symbol.asyncDispose]()
    t.is((await answer).key?.name, 'done', transport)
    client.close()
  }
})

test.serial('health follows the service’s readiness, and reflection stays on its port', async (t) => {
  const identity = await identityOf('site')
  for (const isReady of [true, false]) {
    await using server = await serve({}, { isReady: async () => isReady, reflection: true })
    for (const address of [`127.0.0.1:${server.port}`, 'in-process:auth']) {
      const health = watchHealth('auth', address, identity)
      t.is(await health.isServing(), isReady, address)
      health.close()
    }
    t.is(await server.isReady(), isReady)
  }
  const health = watchHealth('auth', 'in-process:auth', identity)
  t.false(await health.isServing(), 'a service that does not run')
})
