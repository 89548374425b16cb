import { Agent, request as httpRequest } from 'node:http'
import { text } from 'node:stream/consumers'
import test from 'ava'
import fc from 'fast-check'
import { startMailSink } from '../_mail-sink.ts'
import { createRandom, scaled } from '../_random.ts'
import type { Posting } from '../_strange-calls.ts'
import { ROSA, type Sandboxes, startSandboxes } from './_sandbox.ts'
import { FAMILY_TOOLS, strangeStarts } from './_strange-starts.ts'

const CALLS = scaled(2000, 10_000)
const AT_ONCE = 16
/** How many calls may get "try again" on a busy machine. */
const MOST_PUT_OFF = scaled(CALLS / 20, CALLS / 50)

/** Internals: stack traces, paths, the database and its errors, the libraries. */
const INSIDE =
  /\n\s+at |node:internal|node_modules|\/src\/|Mongo|E11000|BSON|CastError|(Type|Range|Syntax|Reference)Error|Unexpected token|grpc|mongoose|express|127\.0\.0\.1/i
const FAMILY_TOOL = new RegExp(FAMILY_TOOLS.join('|'))
const STATUSES = new Set([200, 202, 400, 413, 415])

let s: Sandboxes
let sink: Awaited<ReturnType<typeof startMailSink>>
const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE })

test.before(async () => {
  sink = await startMailSink()
  s = await startSandboxes(undefined, { env: { SMTP_URL: sink.url } })
})
test.after.always(async () => {
  agent.destroy()
  await s?.[Symbol.asyncDispose]()
  await sink?.[Symbol.asyncDispose]()
})

test.serial(`${CALLS} random calls send no mail, reach no family tool and reveal no internals`, async (t) => {
  const { seed } = createRandom()
  t.log(`TEST_SEED=${seed}`)
  const seen: Record<string, number> = {}
  const batch = fc.array(strangeStarts(), { minLength: AT_ONCE, maxLength: AT_ONCE })
  const property = fc.asyncProperty(batch, async (postings) => {
    for (const answer of await Promise.all(postings.map((posting) => post(posting)))) {
      const fault = faultOf(answer)
      if (fault !== undefined) throw new Error(`${fault}: ${answer.status} ${answer.text.slice(0, 500)}`)
      const kind = kindOf(answer)
      seen[kind] = (seen[kind] ?? 0) + 1
    }
  })
  await fc.assert(property, { seed, numRuns: CALLS / AT_ONCE })
  t.log(JSON.stringify(seen))
  for (const kind of ['200 workspace', '200 refused', '200 -32601', '200 -32602', '400 -32600', '400 -32700', '202'])
    t.true(Number(seen[kind]) > 0, `nothing was answered with ${kind}`)
  t.true((seen['200 -32603'] ?? 0) <= MOST_PUT_OFF)

  t.deepEqual(sink.mails, [])
  t.is(await s.rows('inbox', 'deliveries').countDocuments(), 0)
  t.is(s.stack.deaths('gateway') + s.stack.deaths('sandbox'), 0)
  t.is(kindOf(await post({ body: toolCall('start_family_care_workspace', ROSA), headers: {} })), '200 workspace')
})

test.serial('each of five hundred simultaneous starts creates a workspace or gets "try again"', async (t) => {
  const crowd = new Agent({ keepAlive: true, maxSockets: 500 })
  const body = toolCall('start_family_care_workspace', ROSA)
  const answers = await Promise.all(Array.from({ length: 500 }, () => post({ body, headers: {} }, crowd)))
  crowd.destroy()
  const kinds = Map.groupBy(answers, kindOf)
  t.log([...kinds].map(([kind, { length }]) => `${kind}: ${length}`).join(', '))
  t.deepEqual(
    [...kinds.keys()].filter((kind) => kind !== '200 workspace' && !PUT_OFF.includes(kind)),
    [],
  )
  t.true((kinds.get('200 workspace')?.length ?? 0) > 0)
  for (const { text } of PUT_OFF.flatMap((kind) => kinds.get(kind) ?? [])) t.regex(text, /try again/)
})

const PUT_OFF = ['200 -32603', '503 -32603']

type Answer = { status: number; text: string }

function post({ body, headers }: Posting, through = agent): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const request = httpRequest(
      `${s.stack.inboxUrl}/api/mcp/public`,
      { method: 'POST', agent: through, headers: { 'content-type': 'application/json', ...headers } },
      async (response) => resolve({ status: response.statusCode ?? 0, text: await text(response) }),
    )
    request.once('error', reject)
    request.end(body)
  })
}

function toolCall(name: string, args: object): Buffer {
  return Buffer.from(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } }))
}

/** @returns the problem with an answer, if any */
function faultOf({ status, text }: Answer): string | undefined {
  if (!STATUSES.has(status)) return 'unexpected status'
  if (INSIDE.test(text)) return 'reveals internals'
  if (FAMILY_TOOL.test(text)) return 'names a family tool'
  if (status === 202) return text === '' ? undefined : 'a notification is not answered'
  const { jsonrpc, result, error } = JSON.parse(text)
  if (jsonrpc !== '2.0' || (result === undefined) === (error === undefined)) return 'not a JSON-RPC response'
  return undefined
}

function kindOf({ status, text }: Answer): string {
  if (status === 202) return '202'
  const { result, error } = JSON.parse(text)
  if (error !== undefined) return `${status} ${error.code}`
  if (result.isError) return `${status} refused`
  return result.structuredContent?.workspaceId === undefined ? `${status}` : `${status} workspace`
}
