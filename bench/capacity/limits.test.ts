import test from 'ava'
import { calculateLimits, firstLimit, simulateLimits } from './limits.ts'
import { missedGoal, simulateDay } from './simulate.ts'
import { AS_DELIVERED, REMEDIES } from './system.ts'

test('a day just below the first limit is good, and just above it is not', (t) => {
  const first = firstLimit(AS_DELIVERED)
  t.truthy(first)
  const { families = 0, limit } = first ?? {}
  t.is(missedGoal(simulateDay(0.98 * families, AS_DELIVERED)), undefined)
  t.is(missedGoal(simulateDay(1.02 * families, AS_DELIVERED)), limit)
})

test('what is done at a limit moves it to more families', (t) => {
  for (const [index, { limit, families }] of calculateLimits(AS_DELIVERED).entries()) {
    const after = calculateLimits(REMEDIES[limit](AS_DELIVERED)).find((one) => one.limit === limit)
    t.true((after?.families ?? 0) > 1.9 * families, `${index} ${limit}`)
  }
})

test('calculation and simulation name the same first limits, within a third', (t) => {
  const [disk, burst] = calculateLimits(AS_DELIVERED)
  const simulated = simulateLimits(AS_DELIVERED, 2)
  t.deepEqual(
    simulated.map(({ limit }) => limit),
    [disk?.limit, burst?.limit],
  )
  for (const [index, one] of [disk, burst].entries())
    t.true(Math.abs((simulated[index]?.families ?? 0) / (one?.families ?? 1) - 1) < 1 / 3, one?.limit)
})
