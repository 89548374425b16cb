import { readFile } from 'node:fs/promises'
import { waitFor } from '@family-inbox/local-stack/wait-for'
import anyTest, { type TestFn } from 'ava'
import { databaseName, openDatabase } from '../_database.ts'
import type { Answer } from '../_family.ts'
import { startMailSink } from '../_mail-sink.ts'
import { openMailer } from '../_mailer.ts'
import { type Agency, type PipeWorld, startPipeWorld } from '../event-pipe/_pipe.ts'
import { type Collector, nameOf, type Span, startCollector } from './_collector.ts'

type World = { world: PipeWorld; collector: Collector; sink: Awaited<ReturnType<typeof startMailSink>> }

const test = (anyTest as TestFn<World>).serial

test.before(async (t) => {
  const collector = await startCollector()
  const sink = await startMailSink()
  const env = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, SMTP_URL: sink.url }
  t.context = { collector, sink, world: await startPipeWorld({ env, processes: 'seven' }) }
})
test.after.always(async ({ context }) => {
  await context.world?.[Symbol.asyncDispose]()
  await context.sink?.[Symbol.asyncDispose]()
  await context.collector?.[Symbol.asyncDispose]()
})

const TOOL_CALL = 'gateway: POST /mcp/v1'

test('a tool call is one trace, from the gateway through gRPC to MongoDB', async (t) => {
  const { world, collector } = t.context
  const { requestId } = await called(world, 'list_inbox_messages', { lovedOneId: world.lovedOneId })
  const listing = 'familyinbox.inbox.v1.InboxService/ListInboxMessages'
  const trace = await collector.traceOf(requestId, [
    TOOL_CALL,
    'gateway: familyinbox.auth.v1.AuthService/Authenticate',
    'auth: familyinbox.auth.v1.AuthService/Authenticate',
    `gateway: ${listing}`,
    `inbox: ${listing}`,
    'care-circle: familyinbox.carecircle.v1.CareCircleService/CheckMemberships',
    'inbox: find messages',
    'auth: familyinbox.auth.v1.AuthService/RecordAuditEntries',
  ])
  const find = only(trace, 'inbox: find messages')
  t.deepEqual([find, ...ancestors(trace, find)].map(nameOf), [
    'inbox: find messages',
    `inbox: ${listing}`,
    `gateway: ${listing}`,
    TOOL_CALL,
  ])
  t.like(find.attributes, {
    'db.collection.name': 'messages',
    'db.namespace': databaseName(world.stack, 'inbox'),
    'db.operation.name': 'find',
  })
  t.like(only(trace, TOOL_CALL).attributes, {
    'http.response.status_code': 200,
    'gen_ai.tool.name': 'list_inbox_messages',
  })
  t.is(trace.filter(({ parentSpanId }) => parentSpanId === '').length, 1)
})

test('an agency’s event is one trace, from its arrival through NATS to the timeline', async (t) => {
  const { world, collector } = t.context
  const agency = await world.addAgency()
  const { headers, json } = await accepted(agency, await world.link(agency))
  await world.untilOnTimeline([json.event_id])
  const trace = await collector.traceOf(headers['x-request-id'], [
    'pipe: insert events',
    'pipe: publish',
    'care-circle: process CARE_EVENTS',
    'pipe: familyinbox.pipe.v1.PipeService/CheckSharing',
  ])
  const placing = only(trace, 'care-circle: process CARE_EVENTS')
  t.deepEqual(ancestors(trace, placing).map(nameOf), [
    'pipe: publish',
    'pipe: familyinbox.pipe.v1.PipeService/IngestEvents',
    'gateway: familyinbox.pipe.v1.PipeService/IngestEvents',
    'gateway: POST /pipe/v1/events',
  ])
  t.true(
    trace.some(
      ({ service, name, parentSpanId }) =>
        service === 'care-circle' && name.startsWith('insert ') && parentSpanId === placing.spanId,
    ),
  )
})

test('a reply is one trace, until it is mailed', async (t) => {
  const { world, collector, sink } = t.context
  const { requestId } = await reply(world)
  await sink.waitFor(CLINIC)
  const trace = await collector.traceOf(requestId, ['inbox: publish', 'inbox: process OUTGOING_MAIL'])
  const [publish] = ancestors(trace, only(trace, 'inbox: process OUTGOING_MAIL'))
  t.is(publish?.name, 'publish')
  t.is(publish?.attributes['messaging.destination.name'], 'OUTGOING_MAIL')
})

test('a caller’s own trace and request id are ignored and not passed on', async (t) => {
  const { world, collector } = t.context
  const traceId = '0af7651916cd43dd8448eb211c80319c'
  const theirs = { traceparent: `00-${traceId}-b7ad6b7169203331-01`, 'x-request-id': 'req_0123456789abcdef' }
  const { headers } = await world.post(world.family.keys.owner, { jsonrpc: '2.0', id: 1, method: 'ping' }, theirs)
  t.regex(String(headers['x-request-id']), /^req_\w{16}$/)
  t.not(headers['x-request-id'], theirs['x-request-id'])
  await collector.traceOf(headers['x-request-id'], [TOOL_CALL])
  const page = await fetch(`${world.stack.inboxUrl}/sign-in`, { headers: theirs })
  await collector.traceOf(page.headers.get('x-request-id'), ['site: GET /sign-in'])
  const everything = collector.received.join('\n')
  t.false(everything.includes(traceId))
  t.false(everything.includes(theirs['x-request-id']))
})

test('a failing service’s log line has the gateway’s request id and trace', async (t) => {
  const { world, collector } = t.context
  const messageId = await aMessage(world)
  // A document that our code never writes: reading it fails.
  await using client = await openDatabase(world.stack, 'inbox')
  const messages = client.db().collection<{ _id: string }>('messages')
  await messages.updateOne({ _id: { $regex: `${messageId}$` } }, { $set: { attachments: 1 } })
  for (;;) {
    const args = { lovedOneId: world.lovedOneId, messageId }
    const { headers } = await world.call(world.family.keys.owner, 'get_inbox_message', args)
    const requestId = String(headers['x-request-id'])
    const line = await findLine(world, 'inbox', requestId)
    if (line === undefined) continue // it took too long
    const [{ traceId } = { traceId: '' }] = await collector.traceOf(requestId, [TOOL_CALL])
    t.like(line, { msg: 'unexpected error', request: requestId, trace: traceId })
    return
  }
})

test('a later log line, for a queued event, has the request id that brought it', async (t) => {
  const { world } = t.context
  const { stack } = world
  const agency = await world.addAgency()
  const subjectRef = await world.link(agency)
  // Accepted while shared, processed when no longer shared.
  await stack.pause('care-circle')
  const { headers } = await accepted(agency, subjectRef)
  await world.share(agency, subjectRef, false)
  stack.resume('care-circle')
  const line = await waitFor(() => findLine(world, 'care-circle', String(headers['x-request-id'])), {
    timeoutMs: 60_000,
    timeout: () => new Error('no line for the request'),
  })
  t.regex(line.msg, /^dropped an event/)
})

test('traces hold nothing a person wrote', async (t) => {
  const { world, collector } = t.context
  const { family } = world
  const words = [
    ...family.lovedOnes.flatMap(({ name, inboxAddress }) => [name, inboxAddress, ...name.split(' ')]),
    ...Object.values(family.people),
    ...Object.values(family.keys),
    ...Object.values(WORDS),
    'sk-sand-',
    'A walk in the garden',
    'Ana ',
  ]
  const everything = collector.received.join('\n').toLowerCase()
  t.true(everything.length > 10_000)
  for (const word of words) t.false(everything.includes(word.toLowerCase()), word)
  // A path may hold ids and secrets, and a query anything.
  for (const { attributes } of collector.spans)
    for (const [name, value] of Object.entries(attributes))
      t.false(name !== 'http.route' && String(value).startsWith('/'), name)
})

test('a collector that hangs or is down delays no call and no shutdown, and is used again later', async (t) => {
  const { world, collector } = t.context
  const { stack, family } = world
  const ping = () => world.call(family.keys.owner, 'ping')
  collector.hang()
  for (const { status } of await Promise.all(Array.from({ length: 20 }, ping))) t.is(status, 200)
  await waitFor(async () => (await linesOf(world, 'gateway')).includes('traces could not be exported') || undefined, {
    timeoutMs: 60_000,
    timeout: () => new Error('no warning for the operator'),
  })
  await collector.leave()
  await stack.restart('gateway')
  await stack.waitReady()
  t.is((await ping()).status, 200)
  await collector.comeBack()
  await collector.traceOf((await ping()).headers['x-request-id'], [TOOL_CALL])
  t.is(stack.deaths('gateway'), 0)
})

const CLINIC = 'desk@quillfeather.example'
const WORDS = { sender: CLINIC, subject: 'Brambleworth', text: 'Thistledown', reply: 'Marrowgrass' }

/** Calls a tool until it succeeds, like an agent. Also returns the request id. */
async function called(world: PipeWorld, tool: string, args: object) {
  for (;;) {
    const { json, headers } = await world.call(world.family.keys.owner, tool, args)
    if (json.error?.code !== TRY_AGAIN)
      return { result: json.result.structuredContent, requestId: headers['x-request-id'] }
  }
}

const TRY_AGAIN = -32_603

/** Posts events until one is accepted on the first attempt. */
async function accepted(agency: Agency, subjectRef: string): Promise<Answer> {
  for (;;) {
    const answer = await agency.postOnce(agency.event(subjectRef))
    if (answer.status !== 503) return answer
  }
}

async function aMessage(world: PipeWorld): Promise<string> {
  const { result } = await called(world, 'list_inbox_messages', { lovedOneId: world.lovedOneId })
  return result.messages[0].id
}

/** Delivers a mail and replies to it. */
async function reply(world: PipeWorld) {
  const { sender, subject, text, reply: body } = WORDS
  const address = world.family.lovedOnes[0]?.inboxAddress ?? ''
  await openMailer(world.stack).deliver(
    address,
    Buffer.from(`From: ${sender}\r\nSubject: ${subject}\r\n\r\n${text}\r\n`),
  )
  return called(world, 'reply_to_inbox_message', { messageId: await aMessage(world), body, idempotencyKey: 'once' })
}

function only(trace: Span[], name: string): Span {
  const [found] = trace.filter((span) => nameOf(span) === name)
  if (found === undefined) throw new Error(`no ${name}`)
  return found
}

/** From the nearest to the root. */
function ancestors(trace: Span[], { parentSpanId }: Span): Span[] {
  const parent = trace.find(({ spanId }) => spanId === parentSpanId)
  return parent === undefined ? [] : [parent, ...ancestors(trace, parent)]
}

type Line = { msg: string; request: string; trace?: string }

/** The first log line of a service for a request. */
async function findLine(world: PipeWorld, service: 'inbox' | 'care-circle', requestId: string) {
  const line = (await linesOf(world, service)).split('\n').find((text) => text.includes(requestId))
  return line === undefined ? undefined : (JSON.parse(line) as Line)
}

function linesOf({ stack }: PipeWorld, service: 'inbox' | 'care-circle' | 'gateway'): Promise<string> {
  return readFile(stack.logs(service), 'utf8')
}
