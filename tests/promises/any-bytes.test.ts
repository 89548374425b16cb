import { Agent, request as httpRequest, type IncomingMessage } from 'node:http'
import { connect } from 'node:net'
import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import test, { type ExecutionContext } from 'ava'
import fc from 'fast-check'
import { type Answer, type Family, startFamily } from '../_family.ts'
import { memoryOf } from '../_memory.ts'
import { createRandom, scaled } from '../_random.ts'
import { mutated, type Posting, postings } from '../_strange-calls.ts'

const AT_ONCE = 16
const ROUNDS = scaled(160, 6500)
const LIMIT_BYTES = 256 * 1024
const DEADLINE_MS = scaled(100_000, 1_800_000)
const MEGABYTE = 1024 * 1024
/** Request timeout (15 s), its check interval (2 s), and slack for a busy machine. */
const SLOW_MS = 15_000 + 2000 + 3000

/** Internals: stack traces, paths, the database and its errors, the libraries. */
const INSIDE =
  /\n\s+at |node:internal|node_modules|\.ts\b|\/src\/|Mongo|E11000|BSON|CastError|(Type|Range|Syntax|Reference)Error|Unexpected token|grpc|mongoose|express|127\.0\.0\.1/i

let world: Family
let lovedOneId: string
const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE })

test.before(async () => {
  world = await startFamily({ separate: ['gateway'] })
  lovedOneId = String(world.family.lovedOnes[0]?.id)
})
test.afterEach((t) => {
  t.is(world.stack.deaths('gateway'), 0)
})
test.after.always(async () => {
  agent.destroy()
  await world?.[Symbol.asyncDispose]()
})

test('any POST is answered as JSON-RPC or with a defined status', async (t) => {
  const { seed } = createRandom()
  t.log(`TEST_SEED=${seed}`)
  const seen: Record<string, number> = {}
  const property = fc.asyncProperty(
    fc.array(postings(lovedOneId), { minLength: AT_ONCE, maxLength: AT_ONCE }),
    async (batch) => {
      const answers = await Promise.all(batch.map(post))
      for (const [index, answer] of answers.entries()) {
        const fault = faultOf(batch[index] as Posting, answer)
        if (fault !== undefined) throw new Error(`${fault}: ${answer.status} ${answer.text.slice(0, 500)}`)
        const kind = `${answer.status} ${answer.json?.error?.code ?? (answer.json?.result?.isError ? 'isError' : '')}`
        seen[kind] = (seen[kind] ?? 0) + 1
      }
    },
  )
  await fc.assert(property, { seed, numRuns: ROUNDS, interruptAfterTimeLimit: DEADLINE_MS - 10_000 })
  t.log(JSON.stringify(seen))
  for (const kind of [
    '200 ',
    '200 isError',
    '200 -32601',
    '200 -32602',
    '400 -32600',
    '400 -32700',
    '401 -32001',
    '202 ',
  ])
    t.true(Number(seen[kind]) > 0, `nothing was answered with ${kind}`)
})

test('any bytes on the socket get an answer below 500, or the connection ends', async (t) => {
  const { seed } = createRandom()
  t.log(`TEST_SEED=${seed}`)
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' })
  const head = `POST /mcp/v1 HTTP/1.1\r\nHost: ${new URL(world.stack.apiUrl).host}\r\nContent-Type: application/json\r\n`
  const strange = [
    '\r\n\r\n\r\n',
    'GET / HTTP/9.9\r\n\r\n',
    'GET /mcp/v1 HTTP/1.1\r\n\r\n',
    'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
    '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03',
    'CONNECT example.org:443 HTTP/1.1\r\nHost: example.org\r\n\r\n',
    'OPTIONS * HTTP/1.1\r\nHost: localhost\r\n\r\n',
    'TRACE /mcp/v1 HTTP/1.1\r\nHost: localhost\r\n\r\n',
    'GET http://169.254.169.254/latest HTTP/1.1\r\nHost: 169.254.169.254\r\n\r\n',
    `GET /${'%c0%ae%c0%ae/'.repeat(500)} HTTP/1.1\r\nHost: localhost\r\n\r\n`,
    `${head}Content-Length: -1\r\n\r\n${body}`,
    `${head}Content-Length: 10\r\nContent-Length: 20\r\n\r\n${body}`,
    `${head}Content-Length: ${body.length}\r\nTransfer-Encoding: chunked\r\n\r\n${body}`,
    `${head}Transfer-Encoding: chunked\r\n\r\nzz\r\n${body}\r\n0\r\n\r\n`,
    `${head}Transfer-Encoding: chunked\r\n\r\n${body.length.toString(16)}\r\n${body}\r\n`,
    `${head}Transfer-Encoding: gzip, chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n`,
    `${head}Transfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\n${body}`,
    `${head}Upgrade: websocket\r\nConnection: Upgrade\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    `${head}Expect: 200-ok\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    `${head}X-Bad\x00: 1\r\nContent-Length: 0\r\n\r\n`,
    `${head} folded: 1\r\nContent-Length: 0\r\n\r\n`,
    `${head}${'X-Many: 1\r\n'.repeat(3000)}Content-Length: 0\r\n\r\n`,
    `${head}X-Long: ${'a'.repeat(100_000)}\r\nContent-Length: 0\r\n\r\n`,
    `${head}Content-Length: 1000000\r\n\r\n${body}`,
    `${head}Content-Length: ${body.length}\r\n\r\n${body}`.repeat(200),
  ]
  for (const bytes of strange) isBelow500(t, bytes, await exchange(Buffer.from(bytes, 'latin1')))

  const valid = Buffer.from(`${head}Authorization: Bearer sk-sand-x\r\nContent-Length: ${body.length}\r\n\r\n${body}`)
  const garbage = fc.oneof(fc.uint8Array({ maxLength: 2000 }), mutated(fc.constant(valid)))
  const property = fc.asyncProperty(fc.array(garbage, { minLength: AT_ONCE, maxLength: AT_ONCE }), async (pieces) => {
    const answers = await Promise.all(pieces.map((bytes) => exchange(Buffer.from(bytes))))
    for (const [index, answer] of answers.entries()) isBelow500(t, String(pieces[index]), answer)
  })
  await fc.assert(property, { seed, numRuns: scaled(15, 600) })
})

test('a body of 256 KB is accepted, and one byte more is refused', async (t) => {
  const sizes: [bytes: number, status: number][] = [
    [65_535, 200],
    [65_536, 200],
    [LIMIT_BYTES, 200],
    [LIMIT_BYTES + 1, 413],
  ]
  for (const [bytes, status] of sizes) {
    const message = JSON.stringify({ jsonrpc: '2.0', id: bytes, method: 'ping' })
    const answer = await world.post(world.family.keys.owner, message.padEnd(bytes))
    t.is(answer.status, status, `${bytes} bytes`)
    t.is(answer.json.id, status === 200 ? bytes : null)
  }
})

test('a body nested a hundred thousand levels deep is refused', async (t) => {
  const depth = 100_000
  const bodies = [
    '['.repeat(depth) + ']'.repeat(depth),
    `{"jsonrpc":"2.0","method":"ping","id":${'['.repeat(depth)}${']'.repeat(depth)}}`,
    `{"jsonrpc":"2.0","method":"ping","id":1,"params":${'{"a":'.repeat(depth / 4)}1${'}'.repeat(depth / 4)}}`,
    `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"ping","arguments":{"a":${'['.repeat(100)}${']'.repeat(100)}}}}`,
  ]
  for (const body of bodies) {
    const { status, json } = await world.post(world.family.keys.owner, body)
    t.is(status, 400)
    t.is(json.error.code, -32_600)
  }
  t.is((await world.post(world.family.keys.owner, '['.repeat(depth))).json.error.code, -32_700)
})

test.serial('a body of 100 MB is refused without extra memory or blocking other callers', async (t) => {
  const before = megabytesOfGateway()
  const uploads = Promise.all(
    Array.from({ length: scaled(4, 50) }, (_, index) => upload(100 * MEGABYTE, index % 2 === 0)),
  )
  t.is((await world.call(world.family.keys.owner, 'ping')).status, 200)
  let most = before
  const watching = setInterval(() => {
    most = Math.max(most, megabytesOfGateway())
  }, 20)
  for (const { status, text } of await uploads.finally(() => clearInterval(watching))) {
    t.is(status, 413)
    t.is(JSON.parse(text).error.code, -32_600)
  }
  t.log(`the gateway grew by ${Math.round(most - before)} MB`)
  // Allows garbage; retained buffers would be four times as much.
  t.true(most - before < 200)
})

test('an incomplete body times out without blocking other callers', async (t) => {
  const host = new URL(world.stack.apiUrl).host
  const head = `POST /mcp/v1 HTTP/1.1\r\nHost: ${host}\r\nContent-Type: application/json\r\n`
  const starts = [
    `${head}Content-Length: 100\r\n\r\n{"jsonrpc"`,
    `${head}Transfer-Encoding: chunked\r\n\r\n5\r\n{"jso`,
    head,
  ]
  const slow = Array.from({ length: scaled(60, 1000) }, (_, index) => endOf(starts[index % starts.length] ?? ''))
  await sleep(200)
  let isAnyOver = false
  void Promise.race(slow).then(() => {
    isAnyOver = true
  })
  t.is((await world.call(world.family.keys.owner, 'ping')).status, 200)
  t.false(isAnyOver, 'another caller is answered meanwhile')
  for (const ms of await Promise.all(slow)) t.true(ms < SLOW_MS, `held for ${ms} ms`)
})

function post({ body, headers }: Posting): Promise<Answer> {
  const own = { authorization: `Bearer ${world.family.keys.owner}`, 'content-type': 'application/json' }
  return new Promise((resolve, reject) => {
    const options = { method: 'POST', agent, headers: { ...own, ...headers } }
    const request = httpRequest(`${world.stack.apiUrl}/mcp/v1`, options, async (response) => {
      const text = await textOf(response)
      resolve({ status: response.statusCode ?? 0, headers: response.headers, text, json: parse(text) })
    })
    request.on('error', reject)
    request.end(body)
  })
}

/** @returns the problem with an answer, if any */
function faultOf({ body }: Posting, answer: Answer): string | undefined {
  const { status, headers, text, json } = answer
  if (![200, 202, 400, 401, 415].includes(status)) return 'an undefined status'
  if (status === 202) return text === '' ? undefined : 'a body where there should be none'
  if (!isJsonRpc(answer)) return 'not JSON-RPC'
  if (status === 401 && !headers['www-authenticate']?.startsWith('Bearer resource_metadata=')) return 'no challenge'
  if (status !== 200 && typeof json.error?.code !== 'number') return 'no error code'
  if (json.error?.code === -32_603) return 'something went wrong inside'
  if (INSIDE.test(JSON.stringify(json.error ?? json.result))) return 'reveals internals'
  const sent = parse(Buffer.from(body).toString()) as { id?: unknown } | undefined
  if (status === 200 && JSON.stringify(json.id) !== JSON.stringify(sent?.id)) return 'another id'
}

function isJsonRpc({ headers, json }: Answer): boolean {
  const isJson = headers['content-type']?.split(';')[0] === 'application/json'
  return isJson && json?.jsonrpc === '2.0' && 'id' in json && 'result' in json !== 'error' in json
}

type Ended = { text: string; ms: number }

/** Sends bytes, closes the sending side, and reads until the gateway closes. */
function exchange(bytes: Buffer): Promise<Ended> {
  return onSocket((socket) => socket.end(bytes))
}

/** Sends the start of a request only. @returns milliseconds until the gateway closed the connection */
async function endOf(start: string): Promise<number> {
  return (await onSocket((socket) => socket.write(start))).ms
}

function onSocket(write: (socket: ReturnType<typeof connect>) => void): Promise<Ended> {
  return new Promise((resolve) => {
    const start = performance.now()
    const chunks: Buffer[] = []
    const socket = connect(Number(new URL(world.stack.apiUrl).port), '127.0.0.1')
    socket.on('data', (chunk: Buffer) => chunks.push(chunk))
    socket.on('error', () => {})
    socket.on('close', () => resolve({ text: Buffer.concat(chunks).toString(), ms: performance.now() - start }))
    write(socket)
  })
}

function isBelow500(t: ExecutionContext, sent: string, { text, ms }: Ended) {
  t.true(text === '' || /^HTTP\/1\.1 [1-4]\d\d /.test(text), `${sent.slice(0, 200)}\n${text.slice(0, 200)}`)
  t.notRegex(text, /HTTP\/1\.1 5\d\d/)
  t.notRegex(text, INSIDE)
  t.true(ms < SLOW_MS)
}

/** Uploads spaces as fast as possible, with or without Content-Length. */
function upload(bytes: number, sayHowMany: boolean): Promise<{ status: number; text: string }> {
  const headers = {
    'content-type': 'application/json',
    authorization: `Bearer ${world.family.keys.owner}`,
    ...(sayHowMany && { 'content-length': bytes }),
  }
  return new Promise((resolve, reject) => {
    const request = httpRequest(`${world.stack.apiUrl}/mcp/v1`, { method: 'POST', headers, agent: false })
    request.on('response', async (response) =>
      resolve({ status: response.statusCode ?? 0, text: await textOf(response) }),
    )
    request.on('error', reject)
    Readable.from(spaces(bytes)).pipe(request)
  })
}

function* spaces(bytes: number) {
  const chunk = Buffer.alloc(64 * 1024, ' ')
  for (let sent = 0; sent < bytes; sent += chunk.length) yield chunk
}

function megabytesOfGateway(): number {
  return memoryOf(world.stack.pid('gateway')).residentMb
}

async function textOf(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of response) chunks.push(chunk)
  return Buffer.concat(chunks).toString()
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
