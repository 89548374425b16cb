import { generateKeyPairSync } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { AuthServiceService } from '@family-inbox/proto/auth/v1/auth'
import test from 'ava'
import type { Definition } from './definition.ts'
import { dial } from './dial.ts'
import { createIdentity } from './identity.ts'
import { type Handlers, serveGrpc } from './serve.ts'
import { StatusError } from './status-error.ts'

const { exportRecords } = AuthServiceService
const definition = { exportRecords } satisfies Definition

type Stream = Handlers<typeof definition>['exportRecords']

const KEY = { kid: 'auth-1', service: 'auth', alg: 'EdDSA' }

async function open(handler: Stream) {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  const publicKeys = { keys: [{ ...publicKey.export({ format: 'jwk' }), ...KEY }] }
  const identity = await createIdentity({ ...privateKey.export({ format: 'jwk' }), ...KEY }, publicKeys)
  const server = await serveGrpc({
    definition,
    handlers: { exportRecords: handler },
    identity,
    logger: { info() {}, warn() {}, error() {} },
    host: '127.0.0.1',
    port: 0,
    isReady: async () => true,
  })
  const client = dial(definition, `127.0.0.1:${server.port}`, identity)
  return {
    client,
    async [Symbol.asyncDispose]() {
      client.close()
      await server[Symbol.asyncDispose]()
    },
  }
}

const piece = (size: number) => ({ piece: { beginsFile: '', modifiedAt: undefined, data: Buffer.alloc(size) } })

test('a stream arrives completely, and its handler writes at the reader’s pace', async (t) => {
  let written = 0
  await using s = await open(async function* () {
    for (; written < 400; written += 1) yield piece(256 * 1024)
  })
  let read = 0
  for await (const { piece: one } of s.client.exportRecords({})) {
    if (read === 0) {
      await sleep(500)
      t.true(written < 200, `${written} were written while one was read`)
    }
    read += one?.data.length ?? 0
  }
  t.is(read, 400 * 256 * 1024)
})

test('an error in the middle reaches the reader unchanged', async (t) => {
  await using s = await open(async function* () {
    yield piece(1)
    throw new StatusError('NOT_FOUND', 'Gone.', { field: 'keyId' })
  })
  const read = async () => {
    for await (const _ of s.client.exportRecords({})) t.pass()
  }
  const error = await t.throwsAsync<StatusError>(read())
  t.like(error, { status: 'NOT_FOUND', message: 'Gone.', detail: { field: 'keyId' } })
})

test('when the reader leaves, the handler ends', async (t) => {
  const ended = Promise.withResolvers<string>()
  await using s = await open(async function* () {
    try {
      for (;;) yield piece(64 * 1024)
    } finally {
      ended.resolve('ended')
    }
  })
  for await (const _ of s.client.exportRecords({})) break
  t.is(await Promise.race([ended.promise, sleep(10_000, 'still running')]), 'ended')
})

test('a stream ends as soon as its signal aborts, even while reader and handler wait', async (t) => {
  const ended = Promise.withResolvers<string>()
  await using s = await open(async function* (_request, { signal }) {
    yield piece(1)
    await new Promise((resolve) => signal.addEventListener('abort', resolve))
    ended.resolve('ended')
  })
  const reader = new AbortController()
  const stream = s.client.exportRecords({}, { signal: reader.signal })[Symbol.asyncIterator]()
  await stream.next()
  const waiting = stream.next()
  reader.abort()
  await t.throwsAsync(waiting)
  t.is(await Promise.race([ended.promise, sleep(1000, 'still running')]), 'ended')
})

test('a stream no one reads any more also ends with its signal', async (t) => {
  const ended = Promise.withResolvers<string>()
  await using s = await open(async function* () {
    try {
      for (;;) yield piece(256 * 1024)
    } finally {
      ended.resolve('ended')
    }
  })
  const reader = new AbortController()
  await s.client.exportRecords({}, { signal: reader.signal })[Symbol.asyncIterator]().next()
  await sleep(200)
  reader.abort()
  t.is(await Promise.race([ended.promise, sleep(1000, 'still running')]), 'ended')
})

test('a signal that aborted before the stream also ends it', async (t) => {
  await using s = await open(async function* () {
    for (;;) yield piece(1)
  })
  await t.throwsAsync(s.client.exportRecords({}, { signal: AbortSignal.abort() })[Symbol.asyncIterator]().next())
})

test('an unknown caller gets nothing', async (t) => {
  await using s = await open(async function* () {
    yield piece(1)
  })
  const read = async () => {
    for await (const _ of s.client.exportRecords({}, { token: 'x' })) t.fail()
  }
  t.is((await t.throwsAsync<StatusError>(read()))?.status, 'UNAUTHENTICATED')
})
