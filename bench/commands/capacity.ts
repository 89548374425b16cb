import { calculateLimits, simulateLimits } from '../capacity/limits.ts'
import { planFor } from '../capacity/plan.ts'
import { simulateDay } from '../capacity/simulate.ts'
import { AS_DELIVERED } from '../capacity/system.ts'
import type { Options } from '../measure/options.ts'
import { limitTable, planTable } from '../report/capacity-table.ts'

const FAMILIES = [1e3, 1e5, 1e7]
const LIMITS = 8

/** What 10^3, 10^5 and 10^7 families need, and what is the limit first: a model of measured costs. Measures nothing. */
export async function benchCapacity({ say }: Pick<Options, 'say'>) {
  const plans = everyPlan()
  say(planTable(plans))
  say('  The last two columns: attached files in object storage.')
  const calculated = calculateLimits(AS_DELIVERED)
  say(limitTable('Limits of the manifests and one replica set, by calculation', calculated))
  const simulated = simulateLimits(AS_DELIVERED, LIMITS)
  say(limitTable('By simulation of a day, each after what is done at the one before', simulated))
  const days = FAMILIES.map((families) => ({ families, ...simulateDay(families, AS_DELIVERED) }))
  return { plans, calculated, simulated, days }
}

export function everyPlan() {
  const inMongodb = FAMILIES.map((families) => planFor(families))
  return [...inMongodb, ...FAMILIES.slice(1).map((families) => planFor(families, true))]
}
