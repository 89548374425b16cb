import test from 'ava'
import { createRandom, scaled } from '../_random.ts'
import { postSameEvent } from '../event-pipe/_same-event.ts'
import { causeChaos } from './_chaos.ts'
import { type ClusterWorld, startClusterWorld } from './_cluster-world.ts'

/** From a new primary to the first good answer, on a busy machine. */
const RECOVERY_SECONDS = 5
const RESTARTS = scaled(3, 14)

const SAME_EVENTS = scaled(40, 200)

let world: ClusterWorld
test.before(async () => {
  world = await startClusterWorld()
})
test.after.always(() => world?.[Symbol.asyncDispose]())

test.serial('an event that is posted 64 times at once, through two gateways and two pipes, is one event', async (t) => {
  t.deepEqual(await postSameEvent(world.pipe, SAME_EVENTS), { trials: SAME_EVENTS, doubled: [], lost: [] })
})

test.serial(
  'whatever fails in a cluster, all that was acknowledged is there once, and nothing stale is answered',
  async (t) => {
    const random = createRandom()
    t.log(`TEST_SEED=${random.seed}`)
    const { results, recoverySeconds, details } = await causeChaos(world, {
      choose(all) {
        const [restarts, stores] = [true, false].map((isRestart) =>
          all.filter(({ name }) => name.startsWith('restart') === isRestart),
        ) as [typeof all, typeof all]
        return random.shuffled([...stores, ...random.shuffled(restarts).slice(0, RESTARTS)])
      },
      awayMs: 3000,
      calmMs: 1500,
      events: 600,
      random,
      say: t.log,
    })
    t.deepEqual(details, [])
    for (const { promise, trials, lost, doubled, wrong } of results) {
      t.log(`${promise}: ${trials} trials`)
      t.deepEqual({ promise, lost, doubled, wrong }, { promise, lost: 0, doubled: 0, wrong: 0 })
      t.true(trials > 0, `nobody tried whether ${promise}`)
    }
    t.deepEqual(details, [])
    for (const { fault, seconds } of recoverySeconds) t.true(seconds < RECOVERY_SECONDS, `${fault}: ${seconds} s`)
  },
)
