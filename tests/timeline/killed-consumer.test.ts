import test from 'ava'
import { areAllThere, startTimeline, worldOf } from './_timeline.ts'

test('a consumer killed mid-work loses and duplicates nothing', async (t) => {
  await using timeline = await startTimeline({ processes: 'seven', ownMongod: true })
  const world = await worldOf(timeline, 300)
  const { stack } = timeline.circle
  const deaths = stack.deaths('care-circle')
  for (const part of [0, 100, 200]) {
    await timeline.send(...world.events.slice(part, part + 100))
    stack.kill('care-circle')
  }
  t.true(await areAllThere(timeline, world))
  t.true(stack.deaths('care-circle') > deaths)
})
