import { EventEmitter } from 'node:events'
import test from 'ava'
import type { Request, RequestHandler, Response } from 'express'
import fc from 'fast-check'
import { fakeContext } from '../../../../tests/family-tool-server/_fake-context.ts'
import { mcpEndpoint } from './family/endpoint.ts'
import { sandboxEndpoint } from './sandbox/endpoint.ts'

const REQUESTS = 100_000
const META = 'io.modelcontextprotocol/'

const versions = fc.constantFrom('2026-07-28', '2025-11-25', '2025-06-18', '2025-03-26', '1900-01-01', 'x', '')
const mostly = <T>(value: T, other: fc.Arbitrary<unknown>) =>
  fc.oneof({ weight: 6, arbitrary: fc.constant(value) }, other)
const method = fc.constantFrom(
  ...['initialize', 'ping', 'tools/list', 'tools/call', 'server/discover', 'subscriptions/listen', 'resources/read'],
  ...['prompts/get', 'notifications/initialized', 'constructor', ''],
)
const tool = fc.constantFrom(
  ...['ping', 'get_user_profile', 'list_loved_ones', 'create_provider_code', 'invite_family_member'],
  ...['reply_to_inbox_message', 'start_family_care_workspace', '__proto__', 'Grüße'],
)
const anything = fc.constantFrom<unknown>(undefined, null, 0, '', 'x', [], {}, true)
const elicitation = fc.constantFrom(
  {},
  { elicitation: {} },
  { elicitation: { form: {} } },
  { elicitation: { url: {} } },
)
const meta = fc.record(
  {
    [`${META}protocolVersion`]: fc.oneof({ weight: 8, arbitrary: mostly('2026-07-28', versions) }, anything),
    [`${META}clientCapabilities`]: fc.oneof({ weight: 8, arbitrary: elicitation }, anything),
    [`${META}clientInfo`]: anything,
  },
  { requiredKeys: [] },
)
const input = fc.record(
  { lovedOneId: fc.constant('lo_1'), email: fc.constant('a@b.example'), role: fc.constant('viewer'), x: anything },
  { requiredKeys: [] },
)
const params = fc.record(
  {
    _meta: fc.oneof({ weight: 8, arbitrary: meta }, anything),
    name: fc.oneof({ weight: 8, arbitrary: tool }, anything),
    arguments: fc.oneof({ weight: 8, arbitrary: input }, anything),
    uri: fc.oneof(fc.constantFrom('ui://family-inbox/card', 'ui://x'), anything),
    requestState: fc.constantFrom<unknown>(undefined, 'a.b.c', '', 1),
    inputResponses: fc.constantFrom<unknown>(undefined, { confirm: { action: 'accept' } }, { confirm: 1 }, []),
    protocolVersion: versions,
  },
  { requiredKeys: [] },
)
const message = fc.record(
  {
    jsonrpc: mostly('2.0', anything),
    id: fc.oneof({ weight: 8, arbitrary: fc.constantFrom<unknown>(1, 'a', -5, 1e300) }, anything),
    method: fc.oneof({ weight: 10, arbitrary: method }, anything),
    params: fc.oneof({ weight: 10, arbitrary: params }, anything),
  },
  { requiredKeys: ['jsonrpc', 'method'] },
)
type Sent = { body: unknown; isTrue: boolean; version: string | undefined; named: string | undefined }
const sent = fc.record<Sent>({
  body: message,
  isTrue: mostly(true, fc.boolean()) as fc.Arbitrary<boolean>,
  version: fc.option(versions, { nil: undefined }),
  named: fc.option(fc.oneof(tool, method, fc.constant('=?base64?R3LDvMOfZQ==?=')), { nil: undefined }),
})

/**
 * -32020 to -32099 belong to MCP, and -32000 to -32019 to nobody (MCP 2026-07-28 "Error Codes"). Before it, -32002 was
 * "resource not found" (MCP 2025-11-25 "Resources").
 */
const DEFINED = new Set([
  ...['accepted 202', 'legacy 200 result', 'legacy 200 -32601', 'legacy 200 -32602', 'legacy 200 -32603'],
  ...[
    'legacy 200 -32002',
    'legacy 400 -32600',
    'legacy 400 -32602',
    'modern 200 complete',
    'modern 200 input_required',
  ],
  ...['modern 200 -32602', 'modern 200 -32603', 'modern 400 -32600', 'modern 400 -32602', 'modern 400 -32020'],
  ...['modern 400 -32022', 'modern 404 -32601'],
])

for (const [name, open] of [
  ['the family tool server', () => mcpEndpoint(fakeContext(), { metadataUrl: 'https://x', cookieOrigin: undefined })],
  ['the sandbox endpoint', () => sandboxEndpoint(fakeContext())],
] as const)
  test(`${REQUESTS / 2} requests of mixed eras get only defined answers at ${name}`, async (t) => {
    const handle = open()
    const tried = new Set<string>()
    for (const sample of fc.sample(sent, { numRuns: REQUESTS / 2, seed: 18 })) {
      const body = JSON.parse(JSON.stringify(sample.body))
      const headers = headersOf({ ...sample, body })
      const answered = await post(handle, body, headers)
      const kind = kindOf(body, answered)
      if (!DEFINED.has(kind)) t.fail(JSON.stringify([kind, body, headers, answered]))
      tried.add(kind)
    }
    for (const kind of ['modern 200 complete', 'modern 400 -32020', 'modern 404 -32601', 'legacy 200 result'])
      t.true(tried.has(kind), kind)
  })

type Answered = { status: number; body: string }

/** Era, status, and the error code or the type of the result. */
function kindOf(body: Record<string, unknown>, { status, body: text }: Answered): string {
  if (text === '') return `accepted ${status}`
  const { id, result, error } = JSON.parse(text)
  if (body.id !== undefined && JSON.stringify(id) !== JSON.stringify(body.id)) return 'another id'
  return `${eraOf(body)} ${status} ${error?.code ?? result.resultType ?? 'result'}`
}

function eraOf({ jsonrpc, method: asked, params: given, id }: Record<string, unknown>): string {
  const isRead = jsonrpc === '2.0' && typeof asked === 'string' && id !== undefined
  if (!isRead || !(given === undefined || given === null || isRecord(given))) return 'legacy'
  if (asked === 'server/discover' || asked === 'subscriptions/listen') return 'modern'
  return isRecord(given?._meta) && Object.keys(given._meta).length > 0 ? 'modern' : 'legacy'
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Half of the time the headers that the body asks for, else others or none. */
function headersOf({ body, isTrue, version, named }: Sent): Record<string, string> {
  const { method: asked, params: given } = body as { method: unknown; params?: unknown }
  const { _meta, name } = isRecord(given) ? given : {}
  const wanted = isRecord(_meta) ? _meta[`${META}protocolVersion`] : undefined
  const headers = isTrue
    ? { 'mcp-protocol-version': wanted, 'mcp-method': asked, 'mcp-name': name }
    : { 'mcp-protocol-version': version, 'mcp-method': asked, 'mcp-name': named }
  return Object.fromEntries(
    Object.entries(headers).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  )
}

async function post(handle: RequestHandler, body: unknown, headers: Record<string, string>) {
  const response = Object.assign(new EventEmitter(), {
    status: 0,
    body: '',
    writeHead(status: number) {
      response.status = status
    },
    end(text = '') {
      response.body = text
    },
  })
  const all = { ...headers, authorization: 'Bearer sk-sand-x' }
  const headersDistinct = Object.fromEntries(Object.entries(all).map(([key, value]) => [key, [value]]))
  const socket = { remoteAddress: '127.0.0.1' }
  const request = { body: Buffer.from(JSON.stringify(body)), headers: all, headersDistinct, socket }
  await handle(request as unknown as Request, response as unknown as Response, () => {})
  return { status: response.status, body: response.body }
}
