import type { DemoFamily } from '@family-inbox/ops/demo-seed'
import { type AcceptedEvent, AcceptedEvents } from '@family-inbox/proto/careevents/v1/care_event'
import { PipeServiceService } from '@family-inbox/proto/pipe/v1/pipe'
import { newId } from '@family-inbox/service-kit/ids/ids'
import { natsLogin } from '@family-inbox/service-kit/nats/nats-identity'
import type { RpcClient } from '@family-inbox/service-kit/rpc/dial'
import { createIdentity } from '@family-inbox/service-kit/rpc/identity'
import { CARE_EVENT_SUBJECT } from '@family-inbox/workspace-kit/care-events'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import anyTest, { type TestFn } from 'ava'
import { connect, type NatsConnection } from 'nats'
import { dialPatiently } from '../_dial-patiently.ts'
import { type Guest, joinFamily } from '../_family.ts'
import { until } from '../_wait.ts'

type World = {
  f: Guest
  pipe: RpcClient<typeof PipeServiceService>
  nats: NatsConnection
  isToSchema: ValidateFunction
}
type Subject = { institutionId: string; subjectRef: string; linkId: string; workspaceId: string; lovedOneId: string }
type Sent = { type: string; payload: object | string; at?: string }

const test = anyTest as TestFn<World>
const DATES = { agreementDate: '2026-01-15', reviewDate: '2026-02-01' }

test.before(async (t) => {
  const f = await joinFamily()
  // At once, so that the stack ends if what follows fails.
  t.context = { f } as Partial<World> as World
  const { stack, family } = f
  const pipe = dialPatiently(
    PipeServiceService,
    stack.addresses.pipe ?? '',
    await createIdentity(stack.opsKey, stack.serviceKeys),
  )
  const nats = await connect({ servers: stack.natsUrl, ...natsLogin(stack.opsKey) })
  const { json } = await f.post(family.keys.viewer, { jsonrpc: '2.0', id: 1, method: 'tools/list' })
  const tool = json.result.tools.find(({ name }: { name: string }) => name === 'list_care_events')
  const isToSchema = new Ajv2020({ strict: false, validateFormats: false }).compile(tool.outputSchema)
  t.context = { f, pipe, nats, isToSchema }
})
test.after.always(async (t) => {
  t.context.pipe?.close()
  await t.context.nats?.close()
  await t.context.f?.[Symbol.asyncDispose]()
})

/** Links a client like the operator, with a code that the family's agent created. */
async function link(
  { f, pipe }: World,
  family: DemoFamily<never>,
  lovedOneId = family.lovedOnes[0]?.id ?? '',
): Promise<Subject> {
  const subject = { institutionId: newId('agency').replace('_', '-'), subjectRef: 'client-1' }
  const { json } = await f.call(family.keys.owner, 'create_provider_code', { lovedOneId })
  await pipe.addPartner({ institutionId: subject.institutionId, name: 'Sunrise Home Care', ...DATES, namespaces: [] })
  await pipe.setPartnerActive({ institutionId: subject.institutionId, active: true, ...DATES })
  const { linkId } = await pipe.linkSubject({ ...subject, providerCode: json.result.structuredContent.code })
  await pipe.setFamilyShare({ ...subject, shared: true })
  return { ...subject, linkId, workspaceId: family.workspaceId, lovedOneId }
}

async function send({ nats }: World, subject: Subject, sent: Sent[]): Promise<void> {
  for (const { type, payload, at = '2026-05-12T08:00:00Z' } of sent) {
    const event: AcceptedEvent = {
      ...subject,
      eventId: newId('evt'),
      eventType: type,
      occurredAt: new Date(at),
      receivedAt: new Date('2026-05-12T09:00:00Z'),
      payload: Buffer.from(typeof payload === 'string' ? payload : JSON.stringify(payload)),
    }
    const message = AcceptedEvents.encode({ events: [event] }).finish()
    await nats.jetstream().publish(CARE_EVENT_SUBJECT, message)
  }
}

/** What the viewer's agent sees after enough events have arrived. */
async function timelineOf(
  world: World,
  family: DemoFamily<'viewer'>,
  { lovedOneId }: Subject,
  count: number,
  args: object = {},
) {
  // biome-ignore lint/suspicious/noExplicitAny: answers of every shape
  let result: any
  await until(async () => {
    const { json } = await world.f.call(family.keys.viewer, 'list_care_events', { lovedOneId, limit: 50, ...args })
    result = json.result
    return result?.structuredContent?.events.length === count
  })
  return { ...result.structuredContent, text: result.content[0].text }
}

test('the family’s agent sees visits, notes, medication and vital signs, and filters by type and time', async (t) => {
  const { f, isToSchema } = t.context
  const family = await f.another({ others: ['viewer'] })
  const subject = await link(t.context, family)
  const by = { caregiver_id: 'CANARY', administered_by: 'CANARY', recorded_by: 'CANARY', extra: { deep: 'CANARY' } }
  const start = '2026-05-12T10:05:00+02:00'
  await send(t.context, subject, [
    {
      type: 'visit_started',
      at: '2026-05-12T08:05:00Z',
      payload: { ...by, scheduled_start: start, actual_start: start, location: 'Home' },
    },
    { type: 'visit_ended', at: '2026-05-12T08:06:00Z', payload: { ...by, actual_end: start, duration_minutes: 55 } },
    { type: 'note_added', at: '2026-05-12T08:07:00Z', payload: { ...by, note_text: '<p>Ate <b>well</b>.</p>\u202e' } },
    {
      type: 'med_administered',
      at: '2026-05-12T08:08:00Z',
      payload: { ...by, medication_name: 'Metformin', dose_amount: 500, dose_unit: 'mg' },
    },
    {
      type: 'vital_recorded',
      at: '2026-05-12T08:09:00Z',
      payload: { ...by, vital_type: 'blood_pressure', value: 120, unit: 'mmHg', secondary_value: 80 },
    },
    { type: 'fall_detected', at: '2026-05-12T08:10:00Z', payload: { ...by, note_text: 'CANARY' } },
  ])
  const { events, pipeAvailable, text } = await timelineOf(t.context, family, subject, 6)
  t.true(pipeAvailable)
  t.false(text.includes('CANARY'))
  t.true(isToSchema({ events, pipeAvailable }), JSON.stringify(isToSchema.errors))
  const [fall, vital, medication, note, ended, started] = events
  t.deepEqual(fall, {
    id: fall.id,
    eventType: 'fall_detected',
    occurredAt: '2026-05-12T08:10:00.000Z',
    receivedAt: '2026-05-12T09:00:00.000Z',
    source: 'Sunrise Home Care',
  })
  t.deepEqual(vital.details, { vitalType: 'blood_pressure', value: '120', unit: 'mmHg', secondaryValue: '80' })
  t.deepEqual(medication.details, { medicationName: 'Metformin', doseAmount: '500', doseUnit: 'mg' })
  t.deepEqual(note.details, { noteText: 'Ate well.' })
  t.deepEqual(ended.details, { actualEnd: '2026-05-12T08:05:00.000Z', durationMinutes: 55 })
  t.deepEqual(started.details, {
    scheduledStart: '2026-05-12T08:05:00.000Z',
    actualStart: '2026-05-12T08:05:00.000Z',
    location: 'Home',
  })
})

test('agency data always matches the schema and size limits', async (t) => {
  const { f, isToSchema } = t.context
  const family = await f.another({ others: ['viewer'] })
  const subject = await link(t.context, family)
  const long = 'Ate very well. '.repeat(10_000)
  const hostile: Sent[] = [
    { type: 'note_added', payload: { note_text: long, structured_summary: long } },
    { type: 'note_added', payload: '{"__proto__":{"note_text":"x"},"constructor":1}' },
    { type: 'note_added', payload: `{"note_text":${'['.repeat(5000)}${']'.repeat(5000)}}` },
    { type: 'vital_recorded', payload: '{"vital_type":{"$ne":null},"value":1e999,"unit":["mg"]}' },
    { type: 'visit_ended', payload: '{"actual_end":"+010000-01-01T00:00:00Z","duration_minutes":-5}' },
    { type: 'visit_started', payload: 'not json', at: '0001-01-01T00:00:00Z' },
    { type: 'constructor', payload: { note_text: 'x' } },
    { type: '\u202eevil\u200b', payload: {} },
  ]
  await send(t.context, subject, hostile)
  const { events, pipeAvailable, text } = await timelineOf(t.context, family, subject, hostile.length)
  t.true(isToSchema({ events, pipeAvailable }), JSON.stringify(isToSchema.errors))
  t.true(text.length < 10_000)
  const notes = events.flatMap(({ details }: { details?: { noteText?: string } }) => details?.noteText ?? [])
  t.is(notes.length, 1)
  t.true(notes[0].length <= 2000 && notes[0].length > 1900)
  t.true(notes[0].endsWith('…'))
  t.true(events.some(({ eventType }: { eventType: string }) => eventType === 'evil'))
})

test('an agent can filter by time and type, page by page', async (t) => {
  const { f } = t.context
  const family = await f.another({ others: ['viewer'] })
  const subject = await link(t.context, family)
  const minute = (index: number) => `2026-05-12T08:${String(index).padStart(2, '0')}:00Z`
  const sent = Array.from({ length: 12 }, (_, index) => ({
    type: index % 2 === 0 ? 'note_added' : 'fall_detected',
    payload: { note_text: `Note ${index}` },
    at: minute(index),
  }))
  await send(t.context, subject, sent)
  const { events } = await timelineOf(t.context, family, subject, 12)
  const times = events.map(({ occurredAt }: { occurredAt: string }) => occurredAt)
  t.deepEqual(times, times.toSorted().reverse())

  const span = { since: minute(3), until: '2026-05-12T10:09:00+02:00', types: ['note_added'] }
  const some = await timelineOf(t.context, family, subject, 3, span)
  t.deepEqual(
    some.events.map(({ details }: { details: { noteText: string } }) => details.noteText),
    ['Note 8', 'Note 6', 'Note 4'],
  )
  const paged = []
  for (let cursor: string | undefined; ; ) {
    const args = { lovedOneId: subject.lovedOneId, limit: 5, ...(cursor && { cursor }) }
    const { json } = await f.call(family.keys.viewer, 'list_care_events', args)
    paged.push(...json.result.structuredContent.events)
    cursor = json.result.structuredContent.nextCursor
    if (cursor === undefined) break
  }
  t.deepEqual(paged, events)
})

const wrong: [argument: string, values: unknown[], message: RegExp][] = [
  [
    'since',
    ['yesterday', '2026-05-12', '2026-05-12T08:00:00', 5, ' ', `2026-05-12T08:00:00.${'0'.repeat(500)}Z`],
    /since must be an ISO 8601 time/,
  ],
  ['until', ['2026-13-12T08:00:00Z', {}, []], /until must be an ISO 8601 time/],
  ['types', ['note_added', [''], [5], Array(21).fill('x'), ['x'.repeat(101)], {}], /types must be a list/],
  ['cursor', ['forged', 'WzEsMl0', ''.padEnd(500, 'x'), 5], /cursor must be the nextCursor/],
]
for (const [argument, values, message] of wrong)
  test(`a wrong ${argument} is refused by name`, async (t) => {
    const { f } = t.context
    for (const value of values) {
      const args = { lovedOneId: f.family.lovedOnes[0]?.id, [argument]: value }
      const { json } = await f.call(f.family.keys.viewer, 'list_care_events', args)
      t.true(json.result?.isError, JSON.stringify(value))
      t.regex(json.result.content[0].text, message)
    }
  })

test('a span that ends before it begins is refused', async (t) => {
  const { f } = t.context
  const args = {
    lovedOneId: f.family.lovedOnes[0]?.id,
    since: '2026-05-12T08:00:00Z',
    until: '2026-05-12T09:59:00+02:00',
  }
  const { json } = await f.call(f.family.keys.viewer, 'list_care_events', args)
  t.is(json.result.content[0].text, 'until must be later than since.')
})

test('another family learns nothing, and once sharing ends the next call shows no agency', async (t) => {
  const { f, pipe } = t.context
  const [family, stranger] = [await f.another({ others: ['viewer'] }), await f.another()]
  const subject = await link(t.context, family)
  await send(t.context, subject, [{ type: 'note_added', payload: { note_text: 'Ate well.' } }])
  await timelineOf(t.context, family, subject, 1)
  const { lovedOneId } = subject
  const foreign = await f.call(stranger.keys.owner, 'list_care_events', { lovedOneId })
  const missing = await f.call(stranger.keys.owner, 'list_care_events', { lovedOneId: newId('lo') })
  t.true(foreign.json.result.isError)
  t.is(foreign.text, missing.text)

  await pipe.setFamilyShare({ institutionId: subject.institutionId, subjectRef: subject.subjectRef, shared: false })
  const { json } = await f.call(family.keys.viewer, 'list_care_events', { lovedOneId })
  t.deepEqual(json.result.structuredContent, { events: [], pipeAvailable: false })
})

test('while the pipe is paused the agent gets a retryable error', async (t) => {
  await using f = await joinFamily('mortal')
  await f.stack.pause('pipe')
  const { json } = await f.call(f.family.keys.viewer, 'list_care_events', { lovedOneId: f.family.lovedOnes[0]?.id })
  f.stack.resume('pipe')
  await f.stack.waitReady()
  t.is(json.error.code, -32603)
  t.regex(json.error.message, /try again/)
})
