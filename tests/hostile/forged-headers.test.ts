import anyTest, { type ExecutionContext, type TestFn } from 'ava'
import { type EchoGateway, exchange, HOSTS, type Seen, startEchoGateway } from './_echo-gateway.ts'

const test = anyTest as TestFn<EchoGateway>

test.before(async (t) => {
  t.context = await startEchoGateway()
})
test.after.always((t) => t.context[Symbol.asyncDispose]?.())

const TRUE_ADDRESS = '127.0.0.1'
const LIE = '203.0.113.66'
const FORGED: [name: string, value: string][] = [
  ['X-Forwarded-For', LIE],
  ['X-Forwarded-For', `${LIE}, 198.51.100.1`],
  ['x-fORWARDED-fOR', LIE],
  ['X_Forwarded_For', LIE],
  ['X-Forwarded_For', LIE],
  ['X-Forwarded-Host', 'evil.example'],
  ['X-Forwarded-Proto', 'gopher'],
  ['X-Forwarded-Port', '666'],
  ['X-Forwarded-Prefix', '/evil'],
  ['X-Forwarded-Server', 'evil.example'],
  ['X-Forwarded', `for=${LIE}`],
  ['Forwarded', `for=${LIE};host=evil.example;proto=http`],
  ['Forwarded-For', LIE],
  ['X-Real-IP', LIE],
  ['X-Client-IP', LIE],
  ['X-Cluster-Client-IP', LIE],
  ['X-Originating-IP', LIE],
  ['True-Client-IP', LIE],
  ['CF-Connecting-IP', LIE],
  ['Fastly-Client-IP', LIE],
  ['X-Original-URL', '/evil'],
  ['X-Rewrite-URL', '/evil'],
  ['X-Original-Host', 'evil.example'],
  ['X-Host', 'evil.example'],
  ['X-HTTP-Method-Override', 'DELETE'],
  ['X-Request-Id', 'req_evilevilevilevil'],
  ['traceparent', '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'],
  ['tracestate', 'evil=1'],
  ['baggage', 'evil=1'],
  ['Via', '1.1 evil.example'],
  ['Proxy-Authorization', 'Basic ZXZpbA=='],
  ['Proxy-Connection', 'keep-alive'],
  ['Keep-Alive', 'timeout=666'],
  ['TE', 'trailers'],
  ['Trailer', 'X-Forwarded-For'],
  ['HTTP2-Settings', 'AAMAAABkAAQAAP__'],
]
const LIES = new RegExp(`${LIE.replaceAll('.', '\\.')}|evil|gopher|\\b666\\b|0af7651916cd43dd`, 'i')

const BODY = 'a=1'
const LENGTH = `Content-Length: ${BODY.length}\r\n`
const CHUNKS = '1\r\na\r\n2\r\n=1\r\n0\r\n'

/** Every form of request, and the body that must arrive. */
const FORMS: [what: string, host: string, line: string, more: string, body: string, arrives: string][] = []
for (const [service, host, path] of [
  ['the site', HOSTS.base, '/about'],
  ['the application', HOSTS.inbox, '/sign-in'],
  ['OAuth', HOSTS.inbox, '/oauth/token'],
  ['metadata', HOSTS.api, '/.well-known/oauth-authorization-server'],
] as const) {
  const form = (what: string, line: string, more = '', body = '', arrives = '') =>
    FORMS.push([`${service}: ${what}`, host, line, more, body, arrives])
  form('GET', `GET ${path} HTTP/1.1`)
  form('HTTP/1.0', `GET ${path} HTTP/1.0`)
  form('HTTP/1.0 with Keep-Alive', `GET ${path} HTTP/1.0`, 'Connection: keep-alive\r\n')
  form('absolute form', `GET http://${host}${path} HTTP/1.1`)
  form('DELETE', `DELETE ${path} HTTP/1.1`)
  form('POST', `POST ${path} HTTP/1.1`, LENGTH, BODY, BODY)
  form('chunks', `POST ${path} HTTP/1.1`, 'Transfer-Encoding: chunked\r\n', `${CHUNKS}\r\n`, BODY)
  form(
    'chunks with trailers',
    `POST ${path} HTTP/1.1`,
    'Transfer-Encoding: chunked\r\n',
    `${CHUNKS}X-Forwarded-For: ${LIE}\r\nX-Real-IP: ${LIE}\r\n\r\n`,
    BODY,
  )
  form('chunks with GET', `GET ${path} HTTP/1.1`, 'Transfer-Encoding: chunked\r\n', `${CHUNKS}\r\n`, BODY)
  form('a length with GET', `GET ${path} HTTP/1.1`, LENGTH, BODY, BODY)
  for (const expectation of ['100-continue', '100-Continue']) {
    form(`Expect: ${expectation} with GET`, `GET ${path} HTTP/1.1`, `Expect: ${expectation}\r\n`)
    form(`Expect: ${expectation} with POST`, `POST ${path} HTTP/1.1`, `eXPECT: ${expectation}\r\n${LENGTH}`, BODY, BODY)
    form(
      `Expect: ${expectation} with chunks`,
      `POST ${path} HTTP/1.1`,
      `Expect: ${expectation}\r\nTransfer-Encoding: chunked\r\n`,
      `${CHUNKS}\r\n`,
      BODY,
    )
  }
  form('Expect with HTTP/1.0', `POST ${path} HTTP/1.0`, `Expect: 100-continue\r\n${LENGTH}`, BODY, BODY)
  form('Upgrade to a WebSocket', `GET ${path} HTTP/1.1`, 'Connection: Upgrade\r\nUpgrade: websocket\r\n')
  form(
    'Upgrade with all its headers',
    `GET ${path} HTTP/1.1`,
    'Connection: keep-alive, Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n',
  )
  form('Upgrade to HTTP/2', `GET ${path} HTTP/1.1`, 'Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\n')
  form(
    'Upgrade with Expect',
    `GET ${path} HTTP/1.1`,
    'Connection: Upgrade\r\nUpgrade: websocket\r\nExpect: 100-continue\r\n',
  )
  for (const named of ['x-forwarded-for', 'X-Forwarded-For, x-forwarded-host, host, x-request-id', 'close, forwarded'])
    form(`Connection: ${named}`, `GET ${path} HTTP/1.1`, `Connection: ${named}\r\n`)
  form(
    'Connection that names the framing',
    `POST ${path} HTTP/1.1`,
    `Connection: content-length, transfer-encoding, content-type\r\n${LENGTH}`,
    BODY,
    BODY,
  )
}

for (const [what, host, line, more, body, arrives] of FORMS)
  test.serial(`forged headers never reach the service: ${what}`, async (t) => {
    const forged = FORGED.map(([name, value]) => `${name}: ${value}\r\n`).join('')
    const answer = await exchange(t.context.port, `${line}\r\nHost: ${host}\r\n${forged}${more}\r\n${body}`)
    t.regex(answer, /^(HTTP\/1\.1 100 Continue\r\n\r\n)?HTTP\/1\.1 200 /, answer)
    const [request, ...others] = t.context.seen()
    t.deepEqual(others, [], 'one request stays one request')
    expectTruth(t, request as Seen, host === HOSTS.api ? HOSTS.inbox : host)
    t.is(request?.body, arrives)
  })

function expectTruth(t: ExecutionContext<EchoGateway>, { headers, url }: Seen, host: string) {
  t.deepEqual(headers['x-forwarded-for'], [TRUE_ADDRESS])
  t.deepEqual(headers['x-forwarded-host'], [host])
  t.deepEqual(headers['x-forwarded-proto'], ['https'])
  t.deepEqual(headers.host, [host])
  t.is(headers['x-request-id']?.length, 1)
  t.notRegex(JSON.stringify({ headers, url }), LIES)
  const known = new Set([...OURS, ...FRAMING])
  t.deepEqual(
    Object.keys(headers).filter((name) => !known.has(name) && !name.startsWith('sec-websocket-')),
    [],
  )
}

const OURS = ['host', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-request-id', 'traceparent']
/** Headers of the connection between the gateway and the service. */
const FRAMING = ['connection', 'content-length', 'transfer-encoding']

test.serial('a browser’s request headers arrive unchanged', async (t) => {
  const said = {
    accept: 'text/html',
    'accept-language': 'de',
    'accept-encoding': 'br',
    'user-agent': 'Browser/1.0',
    cookie: 'a=b',
    origin: 'https://inbox.family.example',
    referer: 'https://inbox.family.example/',
    'content-type': 'application/x-www-form-urlencoded',
    authorization: 'Basic YTpi',
    'sec-fetch-site': 'same-origin',
    'if-none-match': '"1"',
    range: 'bytes=0-1',
  }
  const lines = Object.entries(said).map(([name, value]) => `${name}: ${value}\r\n`)
  await exchange(t.context.port, `POST /x HTTP/1.1\r\nHost: ${HOSTS.inbox}\r\n${lines.join('')}${LENGTH}\r\n${BODY}`)
  const [request] = t.context.seen()
  for (const [name, value] of Object.entries(said)) t.deepEqual(request?.headers[name], [value])
})

test.serial('an upgrade is answered as a plain request, and the bytes after it are not forwarded', async (t) => {
  const upgrade = 'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n'
  const smuggled = `GET /smuggled HTTP/1.1\r\nHost: ${HOSTS.inbox}\r\nX-Forwarded-For: ${LIE}\r\n\r\n`
  const answer = await exchange(
    t.context.port,
    `GET /first HTTP/1.1\r\nHost: ${HOSTS.inbox}\r\n${upgrade}\r\n${smuggled}`,
  )
  t.regex(answer, /^HTTP\/1\.1 200 /)
  for (const request of t.context.seen()) t.deepEqual(request.headers['x-forwarded-for'], [TRUE_ADDRESS])
})

test('behind a trusted proxy the address it saw counts, and nothing the client wrote', async (t) => {
  await using gateway = await startEchoGateway({ TRUSTED_PROXIES: '1' })
  for (const more of ['', 'Expect: 100-continue\r\n', 'Connection: x-forwarded-for\r\n']) {
    const forged = `X-Forwarded-For: ${LIE}\r\nX-Forwarded-For: 198.51.100.7\r\n`
    await exchange(gateway.port, `POST /x HTTP/1.1\r\nHost: ${HOSTS.inbox}\r\n${forged}${more}${LENGTH}\r\n${BODY}`)
    const [request] = gateway.seen()
    t.deepEqual(request?.headers['x-forwarded-for'], ['198.51.100.7'])
  }
})

for (const [what, host, path] of [
  ['the token endpoint', HOSTS.inbox, '/oauth/token'],
  ['a form', HOSTS.inbox, '/sign-in'],
  ['the site', HOSTS.base, '/about'],
  ['the tool server', HOSTS.api, '/mcp/v1'],
  ['the sandbox', HOSTS.inbox, '/api/mcp/public'],
  ['the event pipe', HOSTS.api, '/pipe/v1/events'],
] as const)
  test.serial(`an announced body too large for ${what} is refused before it is sent`, async (t) => {
    const type = 'Content-Type: application/json\r\nAuthorization: Bearer sk-sand-a\r\n'
    for (const expect of ['', 'Expect: 100-continue\r\n']) {
      const head = `POST ${path} HTTP/1.1\r\nHost: ${host}\r\n${type}${expect}Content-Length: ${8 * 1024 * 1024}\r\n\r\n`
      const answer = await exchange(t.context.port, head)
      t.regex(answer, /^HTTP\/1\.1 413 /)
      if (expect !== '') t.regex(answer, /\r\nconnection: close\r\n/i)
    }
    t.deepEqual(t.context.seen(), [])
  })

test.serial('a chunked body too large for a form is refused while it arrives', async (t) => {
  const chunk = `2000\r\n${'a'.repeat(0x2000)}\r\n`.repeat(12)
  const head = `POST /oauth/token HTTP/1.1\r\nHost: ${HOSTS.inbox}\r\nTransfer-Encoding: chunked\r\n\r\n`
  t.regex(await exchange(t.context.port, `${head}${chunk}0\r\n\r\n`), /^HTTP\/1\.1 413 /)
})

test.serial('of thousands of requests that a client sends without reading an answer, few are started', async (t) => {
  const request = `GET /about HTTP/1.1\r\nHost: ${HOSTS.inbox}\r\n\r\n`
  await exchange(t.context.port, request.repeat(5000))
  t.true(t.context.seen().length <= 32)
  t.regex(await exchange(t.context.port, request), /^HTTP\/1\.1 200 /)
})

test.serial('a client without a credential gets the challenge first, and is not asked for the body', async (t) => {
  const json = 'Content-Type: application/json\r\n'
  const malformed = [
    'Authorization: Bearer Bearer sk-sand-a\r\n',
    'Authorization: Bearer "sk-sand-a"\r\n',
    `Authorization: Bearer ${'a'.repeat(10_000)}\r\n`,
    'Authorization: Bearer sk-s\xe4nd\r\n',
  ]
  for (const [host, path] of [
    [HOSTS.api, '/mcp/v1'],
    [HOSTS.inbox, '/api/mcp'],
  ] as const)
    for (const credential of ['', ...malformed])
      for (const more of [
        'Content-Type: text/plain\r\nContent-Length: 1\r\n\r\na',
        'Content-Length: 0\r\n\r\n',
        `${json}Content-Length: 0\r\n\r\n`,
        `${json}Content-Length: 8388608\r\n\r\n`,
        `${json}Expect: 100-continue\r\nContent-Length: 8388608\r\n\r\n`,
        `${json}Content-Encoding: gzip\r\nContent-Length: 1\r\n\r\na`,
      ]) {
        const head = `POST ${path} HTTP/1.1\r\nHost: ${host}\r\n${credential}${more}`
        const answer = await exchange(t.context.port, head)
        t.regex(answer, /^HTTP\/1\.1 401 /, head.slice(0, 300))
        t.regex(answer, /\r\nwww-authenticate: Bearer resource_metadata=/i)
        t.is(/error="invalid_token"/.test(answer), credential !== '')
      }
})
