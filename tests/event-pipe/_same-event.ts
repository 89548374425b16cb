import { insist } from '../cluster/_insist.ts'
import type { PipeWorld } from './_pipe.ts'

const AT_ONCE = 64

export type SameEvent = { trials: number; doubled: string[]; lost: string[] }

/** Posts each event 64 times at once. Each must be one row, answered with one id. */
export async function postSameEvent(world: PipeWorld, rounds: number): Promise<SameEvent> {
  const agency = await insist(() => world.addAgency())
  const subject = await insist(() => world.link(agency))
  const doubled: string[] = []
  const ids: string[] = []
  for (let round = 0; round < rounds; round += 1) {
    const event = agency.event(subject, round % 2 === 0 ? {} : { event_id: undefined })
    const answers = await Promise.all(Array.from({ length: AT_ONCE }, () => agency.post(event)))
    const [id, ...others] = new Set(answers.map(({ status, json }) => (status === 202 ? json.event_id : `${status}`)))
    ids.push(id)
    doubled.push(...others)
  }
  const last = ids.at(-1)
  if (last !== undefined) await world.untilOnTimeline([last])
  const shown = await world.timelineIds()
  for (const id of ids) doubled.push(...shown.filter((one) => one === id).slice(1))
  return { trials: rounds, doubled, lost: ids.filter((id) => !shown.includes(id)) }
}
