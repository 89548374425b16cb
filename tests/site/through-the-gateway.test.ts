import { connect } from 'node:net'
import { TOOLS } from '@family-inbox/workspace-kit/tool-catalogue'
import anyTest from 'ava'
import { send } from '../_family.ts'
import { openSharedStack, type Shared, type SharedStack } from '../_shared-stack.ts'

const test = anyTest.serial
let shared: Shared
let stack: SharedStack

anyTest.before(async () => {
  shared = await openSharedStack()
  stack = shared.stack
})
anyTest.after.always(() => shared?.[Symbol.asyncDispose]())

const CODES = ['not_found', 'method_not_allowed', 'not_acceptable', 'spec_unavailable', 'bad_request']

test('the site and the tool server agree on tools, addresses and versions', async (t) => {
  const { baseUrl, apiUrl, inboxUrl } = stack
  const read = async (path: string) => (await send(baseUrl + path, { headers: { accept: 'text/markdown, */*' } })).text
  const card = (await send(`${apiUrl}/mcp/v1`)).json
  const names = TOOLS.map(({ name }) => name)
  t.deepEqual(
    card.tools.map(({ name }: { name: string }) => name),
    names,
  )

  const guide = await read('/developers')
  const rows = [...guide.matchAll(/^\| `(\w+)` +\| (.+?) +\| (read|write) +\| `?([\w:]+)`? +\|$/gm)]
  t.deepEqual(
    rows.map(([, name, description, kind, scope]) => ({
      name,
      description,
      kind,
      scope: scope === 'none' ? null : scope,
    })),
    card.tools,
  )
  const index = await read('/llms.txt')
  t.true(index.includes(`The ${names.length} tools are ${names.join(', ')}.`))
  const manifest = JSON.parse(await read('/.well-known/mcp/server.json'))
  const own = manifest._meta['io.modelcontextprotocol.registry/publisher-provided']
  t.deepEqual(own.tools, names)
  t.like(manifest, { name: card.name, version: card.version, title: card.title, websiteUrl: baseUrl })
  t.is(manifest.remotes[0].url, card.endpoint)
  const openapi = JSON.parse(await read('/openapi.json'))
  t.is(openapi.servers[0].url, baseUrl)
  t.true(openapi.info.description.includes(card.endpoint))

  const sandbox = (await send(`${inboxUrl}/api/mcp/public`)).json
  t.is(own.sandbox, sandbox.endpoint)
  t.true(index.includes(`(${sandbox.endpoint})`) && guide.includes(sandbox.endpoint))
  t.is(sandbox.documentation, `${baseUrl}/developers`)
  t.is(card.documentation, sandbox.documentation)
  t.is(`${sandbox.documentation}.md`, own.documentation)
  const listed = [...(await read('/sitemap.xml')).matchAll(/<loc>([^<]+)<\/loc>/g)].map(
    ([, url = '']) => new URL(url).pathname,
  )
  const twins = listed.map((path) => (path === '/' ? '/index.md' : `${path}.md`))
  for (const twin of twins) t.true(index.includes(`(${baseUrl}${twin})`), `llms.txt names ${twin}`)
  const described = Object.keys(openapi.paths).filter(
    (path) => !path.startsWith('/.well-known/') && !/\.(json|txt|xml)$/.test(path),
  )
  t.deepEqual(described.toSorted(), [...listed, ...twins].toSorted())
})

test('a repeated request gets the same response in every representation', async (t) => {
  const forms: Record<string, string>[] = [
    { accept: 'text/html' },
    { accept: 'text/markdown' },
    { accept: 'text/html', 'accept-encoding': 'br' },
    { accept: 'text/html', 'accept-encoding': 'gzip' },
  ]
  const first = await Promise.all(forms.map((headers) => send(`${stack.baseUrl}/about`, { headers })))
  const etags = first.map(({ headers }) => headers.etag)
  t.is(new Set(etags).size, forms.length)
  for (let round = 0; round < 3; round += 1)
    for (const [index, expected] of first.entries()) {
      const headers = forms[index] ?? {}
      const again = await send(`${stack.baseUrl}/about`, { headers })
      t.is(again.headers.etag, expected.headers.etag)
      t.is(again.text, expected.text)
      for (const name of ['content-type', 'content-encoding', 'cache-control', 'vary', 'link'])
        t.deepEqual(again.headers[name], expected.headers[name], name)
      const known = await send(`${stack.baseUrl}/about`, {
        headers: { ...headers, 'if-none-match': String(expected.headers.etag) },
      })
      t.is(known.status, 304)
      t.is(known.text, '')
      const head = await send(`${stack.baseUrl}/about`, { method: 'HEAD', headers })
      t.is(head.text, '')
      t.is(head.headers.etag, expected.headers.etag)
      t.is(head.headers['content-length'], expected.headers['content-length'])
    }
  t.is((await send(`${stack.baseUrl}/about`, { method: 'POST' })).status, 405)
  t.is((await send(`${stack.baseUrl}/about`, { headers: { accept: 'image/png' } })).status, 406)
})

const refusals: [target: string, status: number, code: string][] = [
  ['/nowhere', 404, 'not_found'],
  ['//about', 404, 'not_found'],
  ['/about/../privacy', 404, 'not_found'],
  ['/%2e%2e/about', 404, 'not_found'],
  ['/%252e%252e%252fetc%252fpasswd', 404, 'not_found'],
  ['/..%2f..%2fpackage.json', 404, 'not_found'],
  ['/about%00', 404, 'not_found'],
  ['/about\\..\\privacy', 404, 'not_found'],
  ['/%', 400, 'bad_request'],
  ['/%zz', 400, 'bad_request'],
  ['about', 400, 'bad_request'],
  ['/ab out', 400, 'bad_request'],
  [`/${'a'.repeat(20_000)}`, 400, 'bad_request'],
  ['http://evil.example/about', 421, 'bad_request'],
]
for (const [target, status, code] of refusals)
  test(`GET ${target.slice(0, 40)} is ${status} through the gateway, with the error object`, async (t) => {
    const answer = await speak(`GET ${target} HTTP/1.1\r\nHost: ${host()}\r\nAccept: */*`)
    t.is(answer.status, status)
    t.is(answer.json.error.code, code)
    for (const part of ['message', 'hint'] as const) t.true(answer.json.error[part].length > 5)
  })

const heads: [name: string, head: () => string, status: number, allow?: string][] = [
  ['a header that is too large', () => `GET /about HTTP/1.1\r\nHost: ${host()}\r\nX: ${'a'.repeat(20_000)}`, 400],
  ['no Host', () => 'GET /about HTTP/1.1', 400],
  ['two Hosts', () => `GET /about HTTP/1.1\r\nHost: ${host()}\r\nHost: ${host()}`, 400],
  ['a Host that is not ours', () => 'GET /about HTTP/1.1\r\nHost: evil.example', 421],
  ['a Host in the target that is ours', () => `GET http://${host()}/about HTTP/1.1\r\nHost: evil.example`, 200],
  ['a method nobody knows', () => `FROB /about HTTP/1.1\r\nHost: ${host()}`, 400],
  ['TRACE', () => `TRACE /about HTTP/1.1\r\nHost: ${host()}`, 405, 'GET, HEAD, OPTIONS'],
  [
    'a wrong method with a body',
    () => `PUT /llms.txt HTTP/1.1\r\nHost: ${host()}\r\nContent-Length: 0`,
    405,
    'GET, HEAD, OPTIONS',
  ],
  ['OPTIONS', () => `OPTIONS /about HTTP/1.1\r\nHost: ${host()}`, 204, 'GET, HEAD, OPTIONS'],
  ['OPTIONS of everything', () => `OPTIONS * HTTP/1.1\r\nHost: ${host()}`, 204, 'GET, HEAD, OPTIONS'],
]
for (const [name, head, status, allow] of heads)
  test(`${name} is answered ${status}`, async (t) => {
    const answer = await speak(head())
    t.is(answer.status, status)
    if (allow !== undefined) t.is(answer.headers.get('allow'), allow)
    if (status >= 400) t.true(CODES.includes(answer.json.error.code))
  })

test('read-only resources refuse other methods on all three hosts', async (t) => {
  const { apiUrl, inboxUrl } = stack
  for (const url of [`${apiUrl}/.well-known/mcp.json`, `${inboxUrl}/.well-known/oauth-protected-resource/api/mcp`]) {
    const refused = await send(url, { method: 'POST' })
    t.is(refused.status, 405)
    t.is(refused.json.error.code, 'method_not_allowed')
    const options = await send(url, { method: 'OPTIONS' })
    t.is(options.status, 204)
    for (const { headers } of [refused, options]) t.is(headers.allow, 'GET, HEAD, OPTIONS')
  }
  for (const url of [`${apiUrl}/mcp/v1`, `${inboxUrl}/api/mcp/public`]) {
    t.is((await send(url, { method: 'OPTIONS' })).headers.allow, 'GET, POST, OPTIONS')
    t.is((await send(url, { method: 'HEAD' })).status, 200)
  }
})

type ErrorBody = { error: { code: string; message: string; hint: string } }

const host = () => new URL(stack.baseUrl).host

/** Sends a raw request head and reads the whole response. */
function speak(head: string): Promise<{ status: number; headers: Headers; json: ErrorBody }> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(new URL(stack.baseUrl).port), '127.0.0.1')
    let text = ''
    socket.setEncoding('utf8').on('data', (chunk) => {
      text += chunk
    })
    socket.once('error', reject)
    socket.once('close', () => {
      const [top = '', ...body] = text.split('\r\n\r\n')
      const [first = '', ...lines] = top.split('\r\n')
      const headers = new Headers(lines.map((line) => line.split(/:\s*(.*)/).slice(0, 2) as [string, string]))
      resolve({ status: Number(first.split(' ')[1]), headers, json: parse(body.join('')) as ErrorBody })
    })
    socket.write(`${head}\r\nConnection: close\r\n\r\n`)
  })
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
