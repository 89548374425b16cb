import { createHmac, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { connect as connectTcp } from 'node:net'
import ava, { type ExecutionContext } from 'ava'
import { openDatabase } from '../_database.ts'
import { type Answer, send } from '../_family.ts'
import type { SharedStack } from '../_shared-stack.ts'
import { type Agency, joinPipeWorld, type PipeWorld } from './_pipe.ts'
import type { Envelope } from './_signed-event.ts'

const LIMIT = 600
const MINUTE_MS = 60_000
const EDGE_MS = 2000

/** Serial: in parallel, a small machine would answer 503. */
const test = ava.serial

let world: PipeWorld<SharedStack>
let agency: Agency
let subject: string
ava.before(async () => {
  world = await joinPipeWorld()
  agency = await world.addAgency()
  subject = await world.link(agency)
})
ava.after.always(() => world?.[Symbol.asyncDispose]())

const types: Record<string, object> = {
  visit_started: { caregiver_id: 'c-1', scheduled_start: '2026-05-12T08:30:00Z', actual_start: '2026-05-12T08:34:00Z' },
  visit_ended: { caregiver_id: 'c-1', actual_end: '2026-05-12T09:15:00Z', duration_minutes: 41 },
  note_added: { caregiver_id: 'c-1', note_text: 'A good day.' },
  med_administered: { medication_name: 'Metoprolol', dose_amount: 47.5, dose_unit: 'mg', administered_by: 'c-1' },
  vital_recorded: { vital_type: 'heart_rate', value: 72, unit: 'bpm', recorded_by: 'c-1' },
}

for (const [event_type, payload] of Object.entries(types)) {
  test(`${event_type} is accepted with its fields, and refused if any one is missing`, async (t) => {
    isAccepted(t, await agency.post(agency.event(subject, { event_type, payload })))
    for (const field of Object.keys(payload)) {
      for (const value of [undefined, null, { text: 'x' }]) {
        const answer = await agency.post(agency.event(subject, { event_type, payload: { ...payload, [field]: value } }))
        isRefused(t, answer, 400, 'bad_request', new RegExp(`payload\\.${field}`))
      }
    }
  })
}

test('events of unknown types and with unknown fields are accepted', async (t) => {
  isAccepted(t, await agency.post(agency.event(subject, { event_type: 'meal_served', payload: { dish: 'soup' } })))
  const more = { ...agency.event(subject), schema: 2, payload: { ...types.note_added, mood: 'cheerful' } }
  isAccepted(t, await agency.post(more))
})

test('202 returns the event id, and the timeline shows the event under that id', async (t) => {
  const answer = await agency.post(agency.event(subject))
  isAccepted(t, answer)
  await world.untilOnTimeline([answer.json.event_id])
})

const malformed: [string, (event: Envelope) => unknown, RegExp][] = [
  ['is not JSON', () => 'hello', /not valid JSON/],
  ['is empty', () => '', /not valid JSON/],
  ['is cut off', (event) => JSON.stringify(event).slice(0, -3), /not valid JSON/],
  [
    'is not UTF-8',
    (event) => Buffer.from(JSON.stringify(event).replace('garden', 'g\u00e4rten'), 'latin1'),
    /not UTF-8/,
  ],
  ['is UTF-16', (event) => Buffer.from(JSON.stringify(event), 'utf16le'), /not (UTF-8|valid JSON)/],
  ['is a list', (event) => [event], /must be a JSON object/],
  ['is null', () => 'null', /must be a JSON object/],
  ['is nested 10,000 deep', (event) => deep(event, 10_000), /nested more than 64/],
  ['is nested 100,000 deep', (event) => deep(event, 100_000), /nested more than 64/],
  ['repeats a field', (event) => `${JSON.stringify(event).slice(0, -1)},"subject_ref":"another"}`, /repeats a field/],
  [
    'repeats an escaped field',
    (event) => `${JSON.stringify(event).slice(0, -1)},"\\u0073ubject_ref":"x"}`,
    /repeats a field/,
  ],
  [
    'repeats a field of the payload',
    (event) => JSON.stringify(event).replace('"note_text"', '"note_text":"a","note_text"'),
    /repeats a field/,
  ],
  ['has no institution_id', ({ institution_id: _, ...event }) => event, /institution_id is missing/],
  ['has no subject_ref', ({ subject_ref: _, ...event }) => event, /subject_ref is missing/],
  ['has an empty subject_ref', (event) => ({ ...event, subject_ref: ' ' }), /subject_ref must be text/],
  ['has a number for subject_ref', (event) => ({ ...event, subject_ref: 17 }), /subject_ref must be text/],
  [
    'has an operator for subject_ref',
    (event) => ({ ...event, subject_ref: { $ne: null } }),
    /subject_ref must be text/,
  ],
  ['has no event_type', ({ event_type: _, ...event }) => event, /event_type is missing/],
  ['has no payload', ({ payload: _, ...event }) => event, /payload is missing/],
  ['has a list for payload', (event) => ({ ...event, payload: [] }), /payload must be an object/],
  ['has text for payload', (event) => ({ ...event, payload: 'a' }), /payload must be an object/],
  ['has an empty event_id', (event) => ({ ...event, event_id: '' }), /event_id must be text/],
  ['has a number for event_id', (event) => ({ ...event, event_id: 17 }), /event_id must be text/],
  ['has a long event_id', (event) => ({ ...event, event_id: 'x'.repeat(201) }), /event_id must be text/],
  ['has no occurred_at', ({ occurred_at: _, ...event }) => event, /occurred_at is missing/],
  ...['2026-05-12', '2026-05-12T08:30:00', '12 May 2026', '1778574600', '2026-02-30T08:30:00Z', ''].map(
    (occurred_at) =>
      [
        `says that it occurred at "${occurred_at}"`,
        (event: Envelope) => ({ ...event, occurred_at }),
        /occurred_at must be an ISO 8601 time/,
      ] as [string, (event: Envelope) => unknown, RegExp],
  ),
  ['says that it occurred at a number', (event) => ({ ...event, occurred_at: 1778574600 }), /occurred_at must be/],
  [
    'occurred in two days',
    (event) => ({ ...event, occurred_at: new Date(Date.now() + 48 * 60 * MINUTE_MS).toISOString() }),
    /24 hours in the future/,
  ],
  [
    'names another institution than its header',
    (event) => ({ ...event, institution_id: 'another' }),
    /X-Pipe-Institution/,
  ],
]
for (const [what, spoil, problem] of malformed) {
  test(`a body that ${what} is 400`, async (t) => {
    const body = spoil(agency.event(subject))
    const bytes = typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body)
    isRefused(t, await agency.post(bytes), 400, 'bad_request', problem)
  })
}

test('fields called __proto__ or constructor are ordinary fields', async (t) => {
  const event = JSON.stringify(agency.event(subject))
  isAccepted(
    t,
    await agency.post(
      event.replace(
        '"payload":{',
        '"__proto__":{"event_type":"x"},"payload":{"__proto__":{"note_text":"x"},"constructor":1,',
      ),
    ),
  )
  const without = JSON.stringify({ ...agency.event(subject), payload: {} }).replace(
    '"payload":{}',
    '"payload":{"__proto__":{"caregiver_id":"c","note_text":"x"}}',
  )
  isRefused(t, await agency.post(without), 400, 'bad_request', /payload\.caregiver_id is missing/)
  isRefused(t, await agency.post(event.replace('"payload":', '"__proto__":')), 400, 'bad_request', /payload is missing/)
})

for (const [what, headers] of Object.entries<Record<string, string | string[]>>({
  'without Content-Type': { 'Content-Type': [] },
  'as a form': { 'Content-Type': 'application/x-www-form-urlencoded' },
  'as text': { 'Content-Type': 'text/plain' },
  'in gzip': { 'Content-Encoding': 'gzip' },
  'with two event ids in its headers': { 'X-Pipe-Event-Id': ['a', 'b'] },
  'with an empty event id in its header': { 'X-Pipe-Event-Id': ' ' },
})) {
  test(`an event that is sent ${what} is 400`, async (t) => {
    isRefused(t, await agency.post(agency.event(subject), { headers }), 400, 'bad_request')
  })
}

test('an event is accepted with a charset, and with an offset instead of Z', async (t) => {
  const headers = { 'Content-Type': 'application/json; charset=utf-8' }
  isAccepted(t, await agency.post(agency.event(subject, { occurred_at: '2026-05-12T10:30:00.25+02:00' }), { headers }))
})

const inUpperCase = (signature: string) => signature.toUpperCase().replace('SHA256', 'sha256')

test('an event whose signature is in upper-case hex is accepted', async (t) => {
  const event = agency.event(subject)
  const headers = { 'X-Pipe-Signature': inUpperCase(hmac(agency.secret, JSON.stringify(event))) }
  isAccepted(t, await agency.post(event, { headers }))
})

const signatures: [string, (signature: string, event: Envelope) => string | string[]][] = [
  ['missing', () => []],
  ['empty', () => ' '],
  ['of another secret, in upper case', (_, event) => inUpperCase(hmac('another', JSON.stringify(event)))],
  ['without its prefix', (signature) => signature.slice('sha256='.length)],
  ['with another prefix', (signature) => signature.replace('sha256', 'sha512')],
  ['with its prefix in upper case', (signature) => signature.replace('sha256', 'SHA256')],
  ['one digit short', (signature) => signature.slice(0, -1)],
  ['one digit long', (signature) => `${signature}0`],
  [
    'in base64',
    (_, event) => `sha256=${createHmac('sha256', agency.secret).update(JSON.stringify(event)).digest('base64')}`,
  ],
  ['of another secret', (_, event) => hmac('another', JSON.stringify(event))],
  [
    'of another algorithm',
    (_, event) => `sha256=${createHmac('sha1', agency.secret).update(JSON.stringify(event)).digest('hex')}`,
  ],
  ['of the reformatted body', (_, event) => hmac(agency.secret, JSON.stringify(event, null, 1))],
  ['sent twice', (signature) => [signature, signature]],
  ['sent twice, once wrong', (signature) => [hmac('another', 'x'), signature]],
  ['a list', (signature) => `${signature}, ${signature}`],
]
for (const [what, spoil] of signatures) {
  test(`an event whose signature is ${what} is 401`, async (t) => {
    const event = agency.event(subject)
    const signature = spoil(hmac(agency.secret, JSON.stringify(event)), event)
    isRefused(t, await agency.post(event, { headers: { 'X-Pipe-Signature': signature } }), 401, 'unauthorized')
  })
}

test('a body with any byte changed is 401', async (t) => {
  const body = Buffer.from(JSON.stringify(agency.event(subject)))
  const headers = { 'X-Pipe-Signature': hmac(agency.secret, body) }
  for (let at = 0; at < body.length; at += 17) {
    const changed = Buffer.from(body)
    changed.writeUInt8((body.readUInt8(at) + 1) % 256, at)
    isRefused(t, await agency.post(changed, { headers }), 401, 'unauthorized')
  }
  isAccepted(t, await agency.post(body, { headers }))
})

for (const [what, sentAt] of Object.entries<() => string | string[]>({
  'a second too old': () => time(-5 * MINUTE_MS - 1000),
  missing: () => [],
  empty: () => ' ',
  'without a zone': () => time(0).slice(0, -1),
  'a date': () => time(0).slice(0, 10),
  'in seconds since 1970': () => `${Math.floor(Date.now() / 1000)}`,
  'in the format of HTTP': () => new Date().toUTCString(),
  'sent twice': () => [time(0), time(0)],
})) {
  test(`an event whose timestamp is ${what} is 401`, async (t) => {
    const headers = { 'X-Pipe-Timestamp': sentAt() }
    isRefused(t, await agency.post(agency.event(subject), { headers }), 401, 'unauthorized', /X-Pipe-Timestamp/)
  })
}

for (const header of ['X-Pipe-Timestamp', 'webhook-timestamp'])
  test(`clocks may differ by five minutes either way: two seconds around the edge of ${header}`, async (t) => {
    const postAt = (offset: number) => {
      const event = agency.event(subject)
      if (header === 'X-Pipe-Timestamp') return agency.postOnce(event, { headers: { [header]: time(offset) } })
      return agency.postOnce(event, { webhookId: randomUUID(), webhookSentAt: new Date(Date.now() + offset) })
    }
    for (const sign of [-1, 1]) {
      isAccepted(t, await soon(() => postAt(sign * (5 * MINUTE_MS - EDGE_MS))))
      isRefused(t, await soon(() => postAt(sign * (5 * MINUTE_MS + EDGE_MS))), 401, 'unauthorized')
    }
  })

/** Asks again when the answer came so late that the edge was passed on the way. */
async function soon(post: () => Promise<Answer>): Promise<Answer> {
  for (;;) {
    const startedAt = Date.now()
    const answer = await post()
    if (Date.now() - startedAt < EDGE_MS) return answer
  }
}

for (const [what, institution] of Object.entries({
  unknown: 'nobody',
  missing: [],
  empty: ' ',
  'sent twice': ['x', 'x'],
  'not a name': '{"$ne":null}',
  'in other letters': 'AGENCY',
})) {
  test(`an institution that is ${what} gets exactly the answer of a wrong secret`, async (t) => {
    const event = agency.event(subject)
    const wrong = await agency.post(event, { secret: 'wrong' })
    const unknown = await agency.post(event, { headers: { 'X-Pipe-Institution': institution } })
    isRefused(t, unknown, 401, 'unauthorized')
    t.is(unknown.text, wrong.text)
    t.deepEqual(withoutItsOwn(unknown), withoutItsOwn(wrong))
  })
}

test('an inactive institution with a valid signature is 403', async (t) => {
  const dormant = await world.addAgency({ active: false })
  isRefused(t, await dormant.post(dormant.event('x')), 403, 'inactive')
  isRefused(t, await dormant.post('no event at all'), 403, 'inactive')
  isRefused(t, await dormant.post(dormant.event('x'), { secret: 'wrong' }), 401, 'unauthorized')
})

test('a subject that is unknown, not shared or another agency’s is 404, and nothing is stored', async (t) => {
  const another = await world.addAgency()
  const unshared = await world.link(agency, { shared: false })
  const foreign = await world.link(another)
  const answers = []
  for (const subjectRef of ['nobody', unshared, foreign, subject.toUpperCase()])
    answers.push(
      await agency.post(agency.event(subjectRef, { payload: { ...types.note_added, note_text: 'CANARY-404' } })),
    )
  for (const answer of answers) {
    isRefused(t, answer, 404, 'not_found')
    t.deepEqual(answer.json, answers[0]?.json)
  }
  t.false(await isStored('CANARY-404'))
})

test('a body of 256 KB is accepted, and one byte more is 413', async (t) => {
  const sized = (bytes: number) => {
    const event = agency.event(subject, { payload: { ...types.note_added, note_text: '' } })
    const missing = bytes - Buffer.byteLength(JSON.stringify(event))
    return JSON.stringify({ ...event, payload: { ...types.note_added, note_text: 'x'.repeat(missing) } })
  }
  isAccepted(t, await agency.post(sized(256 * 1024)))
  isRefused(t, await agency.post(sized(256 * 1024 + 1)), 413, 'too_large')
  isRefused(t, await agency.post(sized(4 * 1024 * 1024)), 413, 'too_large')
  isRefused(t, await agency.post(sized(256 * 1024 + 1), { secret: 'wrong' }), 413, 'too_large')
})

test('a chunked body is accepted up to the same size', async (t) => {
  const event = JSON.stringify(agency.event(subject))
  isAccepted(t, await chunked(event, [event.slice(0, 10), event.slice(10)]))
  const chunk = 'x'.repeat(64 * 1024)
  isRefused(t, await chunked(chunk, [chunk, chunk, chunk, chunk, chunk]), 413, 'too_large')
})

test('a body that is cut off is not an event', async (t) => {
  const { hostname, port } = new URL(world.url)
  const socket = connectTcp(Number(port), hostname)
  await once(socket, 'connect')
  socket.end(
    `POST /pipe/v1/events HTTP/1.1\r\nHost: ${hostname}:${port}\r\nContent-Length: 500\r\n\r\n{"institution_id":`,
  )
  socket.resume()
  await once(socket, 'close')
  isAccepted(t, await agency.post(agency.event(subject)))
})

for (const method of ['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
  test(`${method} is 405 and names POST as allowed`, async (t) => {
    const answer = await send(world.url, { method })
    t.is(answer.status, 405)
    t.is(answer.headers.allow, 'POST')
    if (method !== 'HEAD') t.is(answer.json.error.code, 'method_not_allowed')
  })
}

test('other paths are 404', async (t) => {
  for (const path of ['/pipe/v1/events/1', '/pipe/v1', '/pipe/v2/events', '/pipe/v1/Events'])
    t.is((await send(`${world.stack.apiUrl}${path}`, { method: 'POST', body: '{}' })).status, 404)
})

test('a partner over its limit per minute gets 429 and the time to wait', async (t) => {
  await using limited = await joinPipeWorld('limits')
  const [busy, calm] = [await limited.addAgency(), await limited.addAgency()]
  const [client, other] = [await limited.link(busy), await limited.link(calm)]
  const sent: Answer[] = []
  const queue = Array.from({ length: LIMIT + 20 }, () => busy.event(client))
  const work = async () => {
    for (let event = queue.pop(); event; event = queue.pop()) sent.push(await busy.postOnce(event))
  }
  await Promise.all(Array.from({ length: 12 }, work))
  const refused = sent.filter(({ status }) => status === 429)
  // A 503 from a slow machine counts against the limit too.
  t.is(sent.filter(({ status }) => status === 202 || status === 503).length, LIMIT)
  t.is(refused.length, 20)
  for (const answer of refused) {
    isRefused(t, answer, 429, 'rate_limited')
    const retryAfter = Number(answer.headers['retry-after'])
    t.true(retryAfter >= 1 && retryAfter <= 61, `${retryAfter}`)
  }
  isAccepted(t, await calm.post(calm.event(other)), 'nobody else is limited')
  isRefused(t, await busy.post('no event at all'), 429, 'rate_limited')
  await aMinutePasses(limited, busy)
  isAccepted(t, await busy.post(busy.event(client)))
})

test('the same event sent 64 times in parallel is one event with one id', async (t) => {
  for (const options of [{}, { event_id: undefined }]) {
    const event = agency.event(subject, options)
    const answers = await Promise.all(Array.from({ length: 64 }, () => agency.post(event)))
    for (const answer of answers) isAccepted(t, answer)
    t.is(new Set(answers.map(({ json }) => json.event_id)).size, 1)
    await world.untilOnTimeline([answers[0]?.json.event_id])
    t.is((await world.timelineIds()).filter((id) => id === answers[0]?.json.event_id).length, 1)
  }
})

test('an event sent again later, with a new timestamp, keeps the first id', async (t) => {
  for (const options of [{}, { event_id: undefined }]) {
    const event = agency.event(subject, options)
    const first = await agency.post(event, { headers: { 'X-Pipe-Timestamp': time(-2 * MINUTE_MS) } })
    const again = await agency.post(event)
    isAccepted(t, first)
    t.is(again.text, first.text)
  }
})

test('the first event with an id stays, whatever is sent with that id later', async (t) => {
  const event = agency.event(subject)
  const first = await agency.post(event)
  const other = await agency.post({ ...event, event_type: 'vital_recorded', payload: types.vital_recorded as object })
  t.is(other.text, first.text)
  await world.untilOnTimeline([first.json.event_id])
  t.true((await world.timelineIds({ types: ['note_added'] })).includes(first.json.event_id))
})

test('X-Pipe-Event-Id identifies the event when the envelope has no id', async (t) => {
  const id = randomUUID()
  const headers = { 'X-Pipe-Event-Id': id }
  const first = await agency.post(agency.event(subject, { event_id: undefined }), { headers })
  const written = agency.event(subject, {
    event_id: undefined,
    payload: { ...types.note_added, note_text: 'Rewritten.' },
  })
  t.is((await agency.post(written, { headers })).text, first.text)
  t.is((await agency.post(agency.event(subject, { event_id: id }))).text, first.text)
})

test('a replay cannot become a new event by changing the unsigned header', async (t) => {
  for (const original of [{}, { 'X-Pipe-Event-Id': randomUUID() }] as Record<string, string>[]) {
    const event = agency.event(subject, { event_id: undefined })
    const first = await agency.post(event, { headers: original })
    t.is((await agency.post(event, { headers: { 'X-Pipe-Event-Id': randomUUID() } })).text, first.text)
    t.is((await agency.post(event)).text, first.text)
  }
})

test('the same id from two agencies is two events', async (t) => {
  const another = await world.addAgency()
  const client = await world.link(another)
  const event_id = randomUUID()
  const first = await agency.post(agency.event(subject, { event_id }))
  const second = await another.post(another.event(client, { event_id }))
  isAccepted(t, second)
  t.not(second.json.event_id, first.json.event_id)
})

test('a partner can use the institution ids of its namespaces, and no others', async (t) => {
  const north = `north${randomUUID().slice(0, 8)}`
  const group = await world.addAgency({ namespaces: [`${north}.`] })
  const branch: Agency = { ...group, institutionId: `${north}.harbour` }
  const client = await world.link(branch)
  const post = (institutionId: string) =>
    group.post(
      { ...group.event(client), institution_id: institutionId },
      { headers: { 'X-Pipe-Institution': institutionId } },
    )
  isAccepted(t, await post(`${north}.harbour`))
  isRefused(t, await post(`${north}.hill`), 404, 'not_found')
  isRefused(t, await post(north), 401, 'unauthorized')
  isRefused(t, await post(agency.institutionId), 401, 'unauthorized')
})

function isAccepted(t: ExecutionContext, { status, json, text, headers }: Answer, message = text) {
  t.is(status, 202, message)
  t.deepEqual(Object.keys(json), ['event_id'])
  t.regex(json.event_id, /^evt_/)
  t.is(headers['content-type'], 'application/json')
}

function isRefused(
  t: ExecutionContext,
  { status, json, text, headers }: Answer,
  expected: number,
  code: string,
  message = /./,
) {
  t.is(status, expected, text)
  t.deepEqual(Object.keys(json), ['error'])
  t.deepEqual(Object.keys(json.error), ['code', 'message', 'hint'])
  t.is(json.error.code, code)
  t.regex(json.error.message, message)
  t.notRegex(text, /mongo|nats|grpc|E11000|node:|\.ts\b/i)
  t.is(headers['www-authenticate'] !== undefined, expected === 401)
  t.is(headers['retry-after'] !== undefined, expected === 429)
}

function hmac(secret: string, body: string | Uint8Array): string {
  return `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`
}

function time(offsetMs: number): string {
  return new Date(Date.now() + offsetMs).toISOString()
}

function deep(event: Envelope, levels: number): string {
  return JSON.stringify({ ...event, payload: '@' }).replace('"@"', `${'['.repeat(levels)}${']'.repeat(levels)}`)
}

function withoutItsOwn({ headers }: Answer) {
  const { date: _, 'x-request-id': __, ...others } = headers
  return others
}

function chunked(signed: string, chunks: string[]): Promise<Answer> {
  const { hostname, port } = new URL(world.url)
  const framed = chunks.map((chunk) => `${Buffer.byteLength(chunk).toString(16)}\r\n${chunk}\r\n`).join('')
  return new Promise((resolve, reject) => {
    const socket = connectTcp(Number(port), hostname)
    let text = ''
    socket.on('data', (data) => (text += data))
    socket.on('error', reject)
    socket.on('close', () => resolve(parseAnswer(text)))
    socket.write(
      [
        'POST /pipe/v1/events HTTP/1.1',
        `Host: ${hostname}:${port}`,
        'Content-Type: application/json',
        `X-Pipe-Institution: ${agency.institutionId}`,
        `X-Pipe-Timestamp: ${time(0)}`,
        `X-Pipe-Signature: ${hmac(agency.secret, signed)}`,
        'Transfer-Encoding: chunked',
        'Connection: close',
        '',
        `${framed}0\r\n\r\n`,
      ].join('\r\n'),
    )
  })
}

function parseAnswer(text: string): Answer {
  const [head = '', body = ''] = text.split('\r\n\r\n')
  const [status = '', ...lines] = head.split('\r\n')
  const headers = Object.fromEntries(lines.map((line) => [line.split(': ')[0]?.toLowerCase(), line.split(': ')[1]]))
  return { status: Number(status.split(' ')[1]), headers, text: body, json: JSON.parse(body) }
}

async function isStored(text: string): Promise<boolean> {
  for await (const row of world.rows()) if (row.includes(text)) return true
  return false
}

/** Moves one partner's rate limit forward by a minute. */
async function aMinutePasses({ stack }: PipeWorld<SharedStack>, { institutionId }: Agency): Promise<void> {
  await using client = await openDatabase(stack, 'pipe')
  await client
    .db()
    .collection<{ _id: string }>('allowances')
    .updateOne({ _id: institutionId }, { $inc: { 'taken.$[].second': -62 } })
}
