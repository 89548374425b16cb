import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import anyTest, { type TestFn } from 'ava'
import fc from 'fast-check'
import { type Guest, joinFamily, send } from '../_family.ts'
import { scaled } from '../_random.ts'

const test = anyTest as TestFn<{ f: Guest; addresses: string[] }>

test.before(async (t) => {
  const f = await joinFamily()
  const { apiUrl, inboxUrl } = f.stack
  t.context = { f, addresses: [`${apiUrl}/mcp/v1`, `${inboxUrl}/api/mcp`, `${inboxUrl}/api/mcp/public`] }
})
test.after.always((t) => t.context.f?.[Symbol.asyncDispose]())

const REVISION = '2026-07-28'
/** What Node accepts of all headers together, and the code of the answer to more. */
const MAX_HEADERS = 15_000
const TOO_LONG = 'bad_request'
const LONG = 'x'.repeat(10_240)
const base64 = (text: string) => `=?base64?${Buffer.from(text).toString('base64')}?=`

type Variant = { values: (right: string) => string[]; isRight: boolean }
const variant = (isRight: boolean, values: Variant['values']): Variant => ({ values, isRight })

/** What arrives in one header, and whether it says what the body says. */
const ANY: Variant[] = [
  variant(true, (right) => [right]),
  variant(true, (right) => [`${right}  `]),
  variant(false, () => []),
  variant(false, () => ['']),
  variant(false, (right) => [right, right]),
  variant(false, (right) => [right, 'other']),
  variant(false, (right) => [`${right}, ${right}`]),
  variant(false, (right) => [`${right}x`]),
  variant(false, () => ['Gr\u00fc\u00dfe']),
  variant(false, (right) => [`${right}\u00a0`]),
  variant(false, () => [LONG]),
  variant(false, () => ['null']),
]
const VERSIONS = [...ANY, variant(false, () => ['2025-11-25']), variant(false, (right) => [base64(right)])]
const METHODS = [...ANY, variant(false, (right) => [right.toUpperCase()]), variant(false, (right) => [base64(right)])]
const NAMES = [
  ...ANY,
  variant(true, (right) => [base64(right)]),
  variant(false, (right) => [right.toUpperCase()]),
  variant(false, (right) => [base64(right).replace('base64', 'BASE64')]),
  variant(false, (right) => [base64(`${right}?`).replace(/=+\?=$/, '?=')]),
  variant(false, () => ['=?base64?/w==?=']),
  variant(false, () => ['=?base64?c G l u Zw==?=']),
]

/** Half of the time the right value, so that the check of each header is reached. */
const pick = (variants: Variant[]) =>
  fc.oneof(fc.constant(variants[0] as Variant), fc.constantFrom(...(variants as [Variant, ...Variant[]])))
const spelled = (name: string) => fc.constantFrom(name, name.toLowerCase(), name.toUpperCase())
const sample = fc.record({
  address: fc.nat(2),
  isModern: fc.oneof({ weight: 4, arbitrary: fc.constant(true) }, fc.constant(false)),
  method: fc.constantFrom('tools/call', 'tools/list'),
  version: fc.tuple(spelled('MCP-Protocol-Version'), pick(VERSIONS)),
  mcpMethod: fc.tuple(spelled('Mcp-Method'), pick(METHODS)),
  mcpName: fc.tuple(spelled('Mcp-Name'), pick(NAMES)),
})

test('any mix of MCP headers gets the answer the specification defines, at every address', async (t) => {
  const { addresses, f } = t.context
  const tried = new Set<string>()
  for (const asked of fc.sample(sample, { numRuns: scaled(300, 10_000), seed: 18 })) {
    const { address, isModern, method, version, mcpMethod, mcpName } = asked
    const isCall = method === 'tools/call'
    // The sandbox has another tool; an argument it does not know keeps it from starting anything.
    const name = address === 2 ? 'start_family_care_workspace' : 'ping'
    const given = [
      [version[0], version[1].values(REVISION)],
      [mcpMethod[0], mcpMethod[1].values(method)],
      [mcpName[0], mcpName[1].values(name)],
    ] as const
    const answer = await send(addresses[address] ?? '', {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        authorization: `Bearer ${f.family.keys.owner}`,
        ...Object.fromEntries(
          given.filter(([, values]) => values.length > 0).map(([key, values]) => [key, [...values]]),
        ),
      },
      body: bodyOf(method, isCall ? { name, arguments: {} } : {}, isModern),
    })
    const length = given.flatMap(([, values]) => values).join('').length
    const [status, code] =
      length > MAX_HEADERS
        ? [400, TOO_LONG]
        : expected({ isModern, isCall, versions: given[0][1], right: [version, mcpMethod, mcpName] })
    const seen = [answer.status, answer.json?.error?.code]
    t.deepEqual(seen, [status, code], JSON.stringify([asked, given, answer.text]).slice(0, 2000))
    if (code !== TOO_LONG) t.is(answer.json.id, 7)
    if (code !== TOO_LONG) tried.add(`${isModern} ${status} ${code}`)
  }
  t.deepEqual([...tried].sort(), ['false 200 undefined', 'false 400 -32600', 'true 200 undefined', 'true 400 -32020'])
})

function bodyOf(method: string, params: object, isModern: boolean): string {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': REVISION,
    'io.modelcontextprotocol/clientCapabilities': {},
  }
  return JSON.stringify({ jsonrpc: '2.0', id: 7, method, params: isModern ? { ...params, _meta } : params })
}

type Asked = { isModern: boolean; isCall: boolean; versions: readonly string[]; right: [string, Variant][] }

function expected({ isModern, isCall, versions, right }: Asked): [status: number, code: number | undefined] {
  const [version, method, name] = right.map(([, { isRight }]) => isRight)
  if (isModern) return version && method && (name || !isCall) ? [200, undefined] : [400, -32020]
  // Handshake revisions know one header, which may name any revision there ever was.
  const isKnown = versions.length === 0 || version || versions[0] === '2025-11-25'
  return isKnown ? [200, undefined] : [400, -32600]
}

test('headers that HTTP itself forbids are refused before anything is read', async (t) => {
  const url = new URL(t.context.addresses[2] ?? '')
  const body = bodyOf('tools/list', {}, true)
  for (const [line, status] of [
    ['Mcp-Method: tools/\u0001list', 400],
    ['Mcp-Method: tools/list\0', 400],
    ['Mcp-Method tools/list', 400],
    ['Mcp Method: tools/list', 400],
    [`Mcp-Method: ${LONG}${LONG}`, 400],
  ] as const) {
    const socket = connect(Number(url.port), url.hostname)
    const lines = [`Host: ${url.host}`, 'Content-Type: application/json', `Content-Length: ${body.length}`, line]
    socket.end(`POST ${url.pathname} HTTP/1.1\r\n${lines.join('\r\n')}\r\nConnection: close\r\n\r\n${body}`)
    t.regex(await text(socket), new RegExp(`^HTTP/1\\.1 ${status} `), line.slice(0, 40))
  }
})
