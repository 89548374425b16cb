import { createHmac, randomUUID } from 'node:crypto'
import { webhookHeaders } from '@family-inbox/ops/events/send-event'
import ava, { type ExecutionContext } from 'ava'
import { type Answer, send } from '../_family.ts'
import type { SharedStack } from '../_shared-stack.ts'
import { type Agency, joinPipeWorld, type PipeWorld } from './_pipe.ts'

const test = ava.serial
const MINUTE_MS = 60_000

let world: PipeWorld<SharedStack>
let agency: Agency
let subject: string
ava.before(async () => {
  world = await joinPipeWorld()
  agency = await world.addAgency()
  subject = await world.link(agency)
})
ava.after.always(() => world?.[Symbol.asyncDispose]())

function signed(options: { id?: string; sentAt?: Date; secret?: string } = {}) {
  const { id = randomUUID(), sentAt = new Date(), secret = agency.secret } = options
  const body = JSON.stringify(agency.event(subject, { event_id: undefined }))
  return { body, headers: webhookHeaders(id, secret, body, sentAt) }
}

function isUnauthorized(t: ExecutionContext, { status, json }: Answer, why?: string): void {
  t.is(status, 401, why)
  t.is(json.error.code, 'unauthorized')
}

const require = (signedTimestampRequired: boolean) =>
  world.services.pipe.setPartnerActive({
    institutionId: agency.institutionId,
    active: true,
    agreementDate: '',
    reviewDate: '',
    signedTimestampRequired,
  })

test('an event with a signed time is accepted, and its webhook-id is its id', async (t) => {
  const webhookId = randomUUID()
  const first = await agency.post(agency.event(subject, { event_id: undefined }), { webhookId })
  t.is(first.status, 202, first.text)
  const other = agency.event(subject, { event_id: undefined, payload: { caregiver_id: 'c', note_text: 'Another.' } })
  const again = await agency.post(other, { webhookId })
  t.is(again.json.event_id, first.json.event_id)
  const own = agency.event(subject)
  const named = await agency.post(own, { webhookId: randomUUID() })
  t.is((await agency.post(own, { webhookId: randomUUID() })).json.event_id, named.json.event_id)
})

test('any wrong signed time is 401, even if the body’s signature is valid', async (t) => {
  const { body, headers: good } = signed()
  const now = Date.now()
  const digest = good['webhook-signature']
  const key = (secret: string, text: string) => createHmac('sha256', secret).update(text).digest('base64')
  const content = `${good['webhook-id']}.${good['webhook-timestamp']}.${body}`
  const wrong: [string, Record<string, string | string[]>][] = [
    ['another id', { ...good, 'webhook-id': randomUUID() }],
    ['another time', { ...good, 'webhook-timestamp': `${Number(good['webhook-timestamp']) - 1}` }],
    ['six minutes old', signed({ sentAt: new Date(now - 6 * MINUTE_MS) }).headers],
    ['six minutes ahead', signed({ sentAt: new Date(now + 6 * MINUTE_MS) }).headers],
    ['another secret', { ...good, 'webhook-signature': `v1,${key('another', content)}` }],
    ['no secret', { ...good, 'webhook-signature': `v1,${key('', content)}` }],
    ['another version', { ...good, 'webhook-signature': digest.replace('v1,', 'v1a,') }],
    ['no version', { ...good, 'webhook-signature': digest.slice(3) }],
    ['over the body alone', { ...good, 'webhook-signature': `v1,${key(agency.secret, body)}` }],
    ['an ISO time', { ...good, 'webhook-timestamp': new Date().toISOString() }],
    ['milliseconds', { ...good, 'webhook-timestamp': `${now}` }],
    ['a negative time', { ...good, 'webhook-timestamp': `-${good['webhook-timestamp']}` }],
    ['no signature', { ...good, 'webhook-signature': [] }],
    ['no id', { ...good, 'webhook-id': [] }],
    ['no time', { ...good, 'webhook-timestamp': [] }],
    ['an id alone', { 'webhook-id': 'x' }],
    ['two signatures in two headers', { ...good, 'webhook-signature': [digest, digest] }],
    ['the good one after four others', { ...good, 'webhook-signature': `${'v1,x '.repeat(4)}${digest}` }],
  ]
  for (const [what, headers] of wrong) isUnauthorized(t, await agency.post(body, { headers }), what)
  t.is((await agency.post(body, { headers: good })).status, 202)
})

test('during a rotation a sender may sign with both secrets, in either order', async (t) => {
  const { body, headers } = signed()
  const own = headers['webhook-signature']
  const other = signed({ secret: 'pipe_next' }).headers['webhook-signature']
  for (const list of [`${other} ${own}`, `${own} ${other}`, `v2,abc ${own}`])
    t.is((await agency.post(body, { headers: { ...headers, 'webhook-signature': list } })).status, 202, list)
})

test('a captured request expires for an agency that must sign the time', async (t) => {
  t.teardown(() => require(false))
  const { partner } = await require(true)
  t.true(partner?.signedTimestampRequired)
  const event = agency.event(subject)
  const bare = await agency.post(event)
  isUnauthorized(t, bare)
  t.regex(bare.json.error.message, /sign the time/)
  const sentAt = new Date(Date.now() - 6 * MINUTE_MS)
  isUnauthorized(t, await agency.post(event, { webhookId: 'captured', webhookSentAt: sentAt }))
  t.is((await agency.post(event, { webhookId: randomUUID() })).status, 202)
})

test('an unknown institution that signs the time gets exactly the answer of a wrong secret', async (t) => {
  const body = JSON.stringify(agency.event(subject))
  const post = (institution: string, secret: string) =>
    send(world.url, {
      method: 'POST',
      body,
      headers: {
        'content-type': 'application/json',
        'x-pipe-institution': institution,
        'x-pipe-timestamp': new Date().toISOString(),
        'x-pipe-signature': `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`,
        ...webhookHeaders('id', secret, body),
      },
    })
  const [unknown, wrong] = [await post('nobody-here', 'x'), await post(agency.institutionId, 'x')]
  isUnauthorized(t, unknown)
  t.is(unknown.text, wrong.text)
})

test('a webhook-id of more than 200 characters is 400', async (t) => {
  t.is((await agency.post(agency.event(subject), { webhookId: 'x'.repeat(201) })).status, 400)
})
