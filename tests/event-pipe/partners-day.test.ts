import { setTimeout as sleep } from 'node:timers/promises'
import { signedHeaders } from '@family-inbox/ops/events/send-event'
import { randomText } from '@family-inbox/service-kit/ids/ids'
import test, { type ExecutionContext } from 'ava'
import { send } from '../_family.ts'
import type { SharedStack } from '../_shared-stack.ts'
import { ops as runOps } from './_ops.ts'
import { joinPipeWorld, type PipeWorld, type Timeline } from './_pipe.ts'

let world: PipeWorld<SharedStack>
test.before(async () => {
  world = await joinPipeWorld()
})
test.after.always(() => world?.[Symbol.asyncDispose]())

const ops = (args: string[], env?: Record<string, string>) => runOps(world.stack, args, env)
const INSTITUTION = `sunrise-${randomText(8)}`
const CLIENT = 'client-0042'

test.serial('a partner’s day, from its first secret to the purge of a client', async (t) => {
  const agency = await ops(['partners', 'add', INSTITUTION, '--name', 'Sunrise Home Care', '--agreement', '2026-01-15'])
  t.regex(agency.json.secret, /^pipe_/)
  t.is(agency.json.active, false)
  const early = await ops(['partners', 'activate', INSTITUTION])
  t.is(early.code, 1)
  t.regex(early.stderr, /security review \(--review\)/)
  t.is((await ops(['partners', 'activate', INSTITUTION, '--review', '2026-02-20'])).json.active, true)
  const { partners } = (await ops(['partners', 'list'])).json
  t.like(
    partners.find(({ institutionId }: { institutionId: string }) => institutionId === INSTITUTION),
    { active: true },
  )

  const code = await world.mintCode()
  t.regex((await ops(['subjects', 'link', INSTITUTION, CLIENT, '--code', code])).json.linkId, /^link_/)
  const sendEvent = (type: string, more: string[] = [], secret = agency.json.secret) =>
    ops(['events', 'send', INSTITUTION, CLIENT, '--type', type, ...more], { PIPE_SECRET: secret })
  const unshared = await sendEvent('note_added')
  t.like(unshared, { code: 1 })
  t.is(unshared.json.status, 404)
  t.deepEqual(await world.timeline(), { events: [], pipeAvailable: false })
  t.is((await ops(['subjects', 'share', INSTITUTION, CLIENT, 'on'])).json.shared, true)

  const types = ['visit_started', 'visit_ended', 'note_added', 'med_administered', 'vital_recorded']
  for (const type of types) {
    const sent = await sendEvent(type)
    t.is(sent.json.status, 202, sent.stderr)
    t.is(sent.json.timeline, 'reached')
  }
  const unknown = await sendEvent('meal_served', ['--payload', '{"dish":"soup"}', '--event-id', 'meal-1'])
  t.is(unknown.json.timeline, 'reached')
  const again = await sendEvent('meal_served', ['--payload', '{"dish":"soup"}', '--event-id', 'meal-1'])
  t.is(again.json.body.event_id, unknown.json.body.event_id)

  const read = await world.timeline()
  t.true(read.pipeAvailable)
  t.deepEqual(typesOf(read), ['meal_served', ...types.toReversed()])
  for (const event of read.events) {
    t.is(event.source, 'Sunrise Home Care')
    t.notRegex(JSON.stringify(event), /c-17|sha256=|client-0042/, 'no id of the agency and no signature')
  }
  t.regex(JSON.stringify(read.events), /A short walk in the garden/)
  t.notRegex(JSON.stringify(read.events), /soup/, 'of an unknown type, its type and times only')

  await rotateUnderLoad(t, agency.json.secret)
  const { secrets } = (await ops(['secrets', 'list', INSTITUTION])).json
  t.deepEqual(
    secrets.map(({ live }: { live: boolean }) => live),
    [true, true],
  )
  t.truthy(secrets[1].expiresAt)

  t.is((await ops(['subjects', 'share', INSTITUTION, CLIENT, 'off'])).json.shared, false)
  t.deepEqual(await world.timeline(), { events: [], pipeAvailable: false })
  t.is((await ops(['subjects', 'share', INSTITUTION, CLIENT, 'on'])).json.shared, true)
  t.true((await world.timeline()).events.length > 0)
  t.true((await ops(['subjects', 'purge', INSTITUTION, CLIENT])).json.eventsDeleted >= 6)
  t.deepEqual(await world.timeline(), { events: [], pipeAvailable: false })
  t.is((await sendEvent('note_added')).json.status, 404)
})

test.serial('the operator command explains what is wrong', async (t) => {
  const wrong: [string[], RegExp][] = [
    [['partners', 'add', 'two words', '--name', 'X'], /institution_id must be/],
    [['partners', 'add', INSTITUTION, '--name', 'X'], /already/],
    [['partners', 'add', 'another', '--name', 'X', '--review', 'soon'], /review must be a date such as/],
    [['partners', 'add', 'another'], /required option '--name <name>'/],
    [['partners', 'activate', 'nobody'], /no partner with this institution id/],
    [['secrets', 'rotate', INSTITUTION, '--overlap', 'long'], /such as 7d, 12h or 30m/],
    [['secrets', 'revoke', INSTITUTION, 'x'], /no secret with this id/],
    [['subjects', 'link', INSTITUTION, 'x', '--code', 'WRONGONE'], /code is not valid/],
    [['subjects', 'share', INSTITUTION, 'x', 'maybe'], /Allowed choices are on, off/],
    [['subjects', 'purge', INSTITUTION, 'x'], /not linked/],
    [['events', 'send', INSTITUTION, 'x'], /PIPE_SECRET/],
  ]
  for (const [args, message] of wrong) {
    const { code, stderr } = await ops(args)
    t.is(code, 1, args.join(' '))
    t.regex(stderr, message)
    t.notRegex(stderr, / at .*\.ts:/)
  }
  const unsendable: [string[], RegExp][] = [
    [['--payload', '{'], /--payload is not JSON/],
    [['--type', 'meal_served'], /Set its payload with --payload/],
    [['--url', 'http://127.0.0.1:9/pipe/v1/events'], /No response from/],
  ]
  for (const [args, message] of unsendable) {
    const { code, stderr } = await ops(['events', 'send', INSTITUTION, 'x', ...args], { PIPE_SECRET: 'x' })
    t.is(code, 1)
    t.regex(stderr, message)
  }
  t.deepEqual((await ops(['events', 'list'])).json, { events: [] })
  t.deepEqual((await ops(['events', 'replay'])).json, { replayed: 0 })
})

/** Sends continuously while the operator rotates; the partner switches once it has the new secret. */
async function rotateUnderLoad(t: ExecutionContext, first: string) {
  let secret = first
  let isOver = false
  let sent = 0
  const work = async () => {
    while (!isOver) {
      const event = {
        institution_id: INSTITUTION,
        subject_ref: CLIENT,
        event_type: 'vital_recorded',
        occurred_at: new Date().toISOString(),
        event_id: `load-${sent++}`,
        payload: { vital_type: 'heart_rate', value: 72, unit: 'bpm', recorded_by: 'c-17' },
      }
      const body = JSON.stringify(event)
      const answer = await send(world.url, { method: 'POST', headers: signedHeaders(INSTITUTION, secret, body), body })
      t.is(answer.status, 202, answer.text)
      await sleep(5)
    }
  }
  const load = Promise.all([work(), work(), work()])
  secret = (await ops(['secrets', 'rotate', INSTITUTION, '--overlap', '1h'])).json.secret
  await sleep(300)
  isOver = true
  await load
}

function typesOf({ events }: Timeline): string[] {
  return events.map(({ eventType }) => eventType)
}
