import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { ProcessName } from '@family-inbox/local-stack/run-stack'
import { natsLogin } from '@family-inbox/service-kit/nats/nats-identity'
import test from 'ava'
import { connect } from 'nats'
import type { Answer } from '../_family.ts'
import { scaled } from '../_random.ts'
import { becomesTrue, readUntil } from '../_wait.ts'
import { sendThroughFaults } from './_faults.ts'
import { type PipeWorld, startPipeWorld } from './_pipe.ts'

let world: PipeWorld
test.before(async () => {
  world = await startPipeWorld({ separate: ['gateway', 'pipe', 'care-circle'], ownMongod: true })
})
test.after.always(() => world?.[Symbol.asyncDispose]())

test.serial('every accepted event is on the timeline once, whichever process is killed or paused', async (t) => {
  const plan = {
    sends: scaled(800, 20_000),
    senders: scaled(24, 64),
    victims: ['gateway', 'pipe', 'care-circle', 'nats-server', 'mongod'] as ProcessName[],
    together: [
      ['gateway', 'pipe', 'mongod'],
      ['gateway', 'care-circle', 'nats-server'],
    ] as ProcessName[][],
    pauseMs: scaled(1500, 10_000),
    calmMs: scaled(1500, 3000),
    say: t.log,
  }
  const { lost, doubled, phantom, ...figures } = await sendThroughFaults(world, plan)
  t.log(JSON.stringify(figures))
  t.deepEqual({ lost, doubled, phantom }, { lost: [], doubled: [], phantom: [] })
  t.true(figures.retries > 0, 'no sender ever met the faults')
  for (const name of plan.victims) t.true(world.stack.deaths(name) > 0, `${name} was killed`)
})

for (const name of ['pipe', 'mongod', 'nats-server'] as ProcessName[]) {
  test.serial(`while ${name} is paused an event gets 503, and appears once in the end`, async (t) => {
    const agency = await world.addAgency()
    const subject = await world.link(agency)
    const event = agency.event(subject)
    await world.stack.pause(name)
    const answers = await Promise.all(Array.from({ length: 8 }, () => agency.postOnce(event)))
    for (const { status, json, headers, text } of answers) {
      t.is(status, 503, text)
      t.is(json.error.code, 'unavailable')
      t.regex(String(headers['retry-after']), /^\d+$/)
    }
    world.stack.resume(name)
    const id = await untilAccepted(() => agency.postOnce(event))
    await world.untilOnTimeline([id])
    t.is((await world.timelineIds()).filter((shown) => shown === id).length, 1)
  })
}

test.serial('an event without a retry still reaches the timeline once NATS is back', async (t) => {
  const agency = await world.addAgency()
  const lovedOneId = world.family.lovedOnes[1]?.id ?? ''
  const subject = await world.link(agency, { lovedOneId })
  const before = await world.timelineIds({ lovedOneId })
  await world.stack.pause('nats-server')
  t.is((await agency.postOnce(agency.event(subject))).status, 503)
  world.stack.resume('nats-server')
  const isAdded = async () => (await world.timelineIds({ lovedOneId })).length === before.length + 1
  t.true(await becomesTrue(isAdded, 30_000))
})

test.serial('an event is still a duplicate after its stream was deleted and every process was killed', async (t) => {
  const agency = await world.addAgency()
  const subject = await world.link(agency)
  const event = agency.event(subject, { event_id: undefined })
  const first = await agency.postOnce(event)
  await world.untilOnTimeline([first.json.event_id])
  const nats = await connect({ servers: world.stack.natsUrl, ...natsLogin(world.stack.opsKey) })
  await (await nats.jetstreamManager()).streams.delete('CARE_EVENTS')
  await nats.close()
  for (const name of ['mongod', 'nats-server', 'pipe', 'care-circle', 'gateway'] as ProcessName[])
    world.stack.kill(name)
  await world.stack.waitReady()
  t.is(await untilAccepted(() => agency.postOnce(event)), first.json.event_id)
  const later = await untilAccepted(() => agency.postOnce(agency.event(subject)))
  await world.untilOnTimeline([later])
  t.is((await world.timelineIds()).filter((id) => id === first.json.event_id).length, 1)
})

test.serial('pending events are shown once even if NATS loses its disk', async (t) => {
  const { stack } = world
  const agency = await world.addAgency()
  const subject = await world.link(agency)
  const post = () => untilAccepted(() => agency.postOnce(agency.event(subject)))
  const shown = await post()
  await world.untilOnTimeline([shown])
  await stack.pause('care-circle')
  const waiting = await Promise.all([post(), post(), post()])
  await rm(join(stack.dataDir, 'nats-server', 'jetstream'), { recursive: true, maxRetries: 20 }) // while it is written to
  for (const name of ['nats-server', 'care-circle'] as const) stack.kill(name)
  await world.untilOnTimeline(waiting)
  const ids = await world.timelineIds()
  for (const id of [shown, ...waiting]) t.is(ids.filter((one) => one === id).length, 1)
})

async function untilAccepted(post: () => Promise<Answer>): Promise<string> {
  const answer = await readUntil(
    () => post().catch(() => undefined),
    (one) => one?.status === 202,
    30_000,
  )
  return answer?.json.event_id
}
