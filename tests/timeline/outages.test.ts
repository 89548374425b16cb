import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ProcessName } from '@family-inbox/local-stack/run-stack'
import type { AcceptedEvent } from '@family-inbox/proto/careevents/v1/care_event'
import { CARE_EVENT_CONSUMER, CARE_EVENT_STREAM } from '@family-inbox/workspace-kit/care-events'
import anyTest, { type TestFn } from 'ava'
import { statusOf } from '../_outcome.ts'
import { until } from '../_wait.ts'
import { areAllThere, at, startTimeline, type Timeline, worldOf } from './_timeline.ts'

const test = (anyTest as TestFn<Timeline>).serial

test.before(async (t) => {
  t.context = await startTimeline({ processes: 'seven', ownMongod: true })
})
test.after.always((t) => t.context?.[Symbol.asyncDispose]())
test.afterEach.always(async (t) => {
  const { stack } = t.context?.circle ?? {}
  for (const name of ['mongod', 'nats-server', 'care-circle', 'pipe'] as const) stack?.resume(name)
  await stack?.waitReady()
})

/** Longer than any single wait. */
const OUTAGE_MS = 4000

async function deadOf({ circle }: Timeline, linkId: string): Promise<number> {
  return circle.rows('dead_letters').countDocuments({ linkId })
}

test('an event delivered 50 times to two replicas is stored once', async (t) => {
  const { circle, workspace, link, event, send, ids } = t.context
  await circle.secondReplica()
  const family = await workspace()
  const subject = await link(family)
  const events = [1, 2, 3].map((minute) => event(family, subject, { occurredAt: at(minute) }))
  await Promise.all(Array.from({ length: 50 }, () => send(...events)))
  await until(async () => (await ids(family)).length === 3)
  await send(...events)
  await t.context.settled(subject)
  t.deepEqual(await ids(family), events.map(({ eventId }) => eventId).reverse())
})

for (const name of ['pipe', 'mongod', 'nats-server'] as ProcessName[])
  test(`while ${name} is paused events wait and use no tries`, async (t) => {
    const world = await worldOf(t.context, 40)
    const { stack } = t.context.circle
    await t.context.send(...world.events.slice(0, 10))
    await stack.pause(name)
    const sending = t.context.send(...world.events.slice(10))
    if (name === 'mongod') await untilOffered(t.context, 30, 2)
    if (name === 'nats-server') await sleep(OUTAGE_MS)
    if (name === 'pipe') {
      t.regex(await statusOf(t.context.list(world.family)), /UNAVAILABLE|DEADLINE/, 'a list that may be wrong is none')
      t.is(await statusOf(t.context.list({ ...world.family, lovedOneId: 'lo_none' })), 'NOT_FOUND')
      // Each event fails more often here than it has tries of its own.
      await sending
      await untilOffered(t.context, 30, 5)
    }
    stack.resume(name)
    await sending
    t.true(await areAllThere(t.context, world))
    t.is(await deadOf(t.context, world.subject.linkId), 0)
  })

/** Waits until this many events have been delivered this many times. */
async function untilOffered({ nats }: Timeline, events: number, times: number): Promise<void> {
  const manager = await nats.jetstreamManager()
  const offered = async () =>
    (await manager.consumers.info(CARE_EVENT_STREAM, CARE_EVENT_CONSUMER)).delivered.consumer_seq
  const before = await offered()
  await until(async () => (await offered()) > before + events * times)
}

test('after MongoDB is killed and restarted, events are stored once', async (t) => {
  const world = await worldOf(t.context, 200)
  const sending = t.context.send(...world.events)
  t.context.circle.stack.kill('mongod')
  await sending
  t.true(await areAllThere(t.context, world))
  t.is(await deadOf(t.context, world.subject.linkId), 0)
})

test('a deleted stream and a wiped NATS server are rebuilt and used', async (t) => {
  const world = await worldOf(t.context, 60)
  const { stack } = t.context.circle
  const { nats, send } = t.context
  await send(...world.events.slice(0, 20))
  await t.context.settled(world.subject)

  await (await nats.jetstreamManager()).streams.delete(CARE_EVENT_STREAM)
  const again = (events: AcceptedEvent[]) =>
    until(() =>
      send(...events).then(
        () => true,
        () => false,
      ),
    )
  await again(world.events.slice(0, 40))
  await until(async () => (await t.context.ids(world.family)).length === 40)

  const deaths = stack.deaths('nats-server')
  await rm(join(stack.dataDir, 'nats-server', 'jetstream'), { recursive: true })
  stack.kill('nats-server')
  await until(async () => stack.deaths('nats-server') > deaths)
  await again(world.events)
  t.true(await areAllThere(t.context, world))
})
