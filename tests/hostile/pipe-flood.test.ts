import { signedHeaders } from '@family-inbox/ops/events/send-event'
import ava from 'ava'
import { send } from '../_family.ts'
import type { SharedStack } from '../_shared-stack.ts'
import { type Agency, joinPipeWorld, type PipeWorld } from '../event-pipe/_pipe.ts'
import { floodWith, type Work, workDuring } from './_others-at-work.ts'

/** Serial: each flood is one attacker. */
const test = ava.serial
const FLOOD = 400
const AT_ONCE = 4

let world: PipeWorld<SharedStack>
let working: Agency
let attacker: Agency
let subject: string
ava.before(async () => {
  world = await joinPipeWorld()
  working = await world.addAgency()
  attacker = await world.addAgency()
  subject = await world.link(working)
})
ava.after.always(() => world?.[Symbol.asyncDispose]())

function others(): Work[] {
  const ask = () => working.postOnce(working.event(subject))
  return [{ name: 'another agency', ask, isGood: ({ status }) => status === 202 }]
}

test('an agency is not affected when someone sends forged events in its name', async (t) => {
  await workDuring(t, others(), async () => {
    const statuses = await floodWith(FLOOD, AT_ONCE, () =>
      working.postOnce(working.event(subject), { secret: 'made-up', webhookId: 'forged' }),
    )
    statuses.delete(503) // the flood itself may get 503
    t.deepEqual([...statuses.keys()], [401])
  })
})

test('an agency is not affected when another sends oversized events', async (t) => {
  // Signed once: hashing is the attacker's own work, on the processors that serve the others.
  const body = Buffer.alloc(300 * 1024, 'x')
  const headers = signedHeaders(attacker.institutionId, attacker.secret, body)
  await workDuring(t, others(), async () => {
    const statuses = await floodWith(FLOOD / 2, AT_ONCE, () => send(world.url, { method: 'POST', body, headers }))
    statuses.delete(503)
    t.deepEqual([...statuses.keys()], [413])
  })
})

test('an agency is not affected when another sends large unshared events and bad JSON', async (t) => {
  const event = attacker.event('nobody', { payload: { caregiver_id: 'c', note_text: 'x'.repeat(100_000) } })
  await workDuring(t, others(), async () => {
    const statuses = await floodWith(FLOOD, AT_ONCE, (index) =>
      attacker.postOnce(index % 2 ? event : '{"institution_id":'),
    )
    for (const status of statuses.keys()) t.true([400, 404, 429, 503].includes(status), `${status}`)
  })
})
