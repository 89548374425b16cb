import { setTimeout as sleep } from 'node:timers/promises'
import { CareEventPlace } from '@family-inbox/proto/carecircle/v1/care_circle'
import { connect } from '../services.ts'
import type { Target } from '../target.ts'

const PATIENCE_MS = 10_000
const PAUSE_MS = 100

/** Looks for up to ten seconds where an accepted event has got to. */
export async function whereItIs(target: Target, eventId: string): Promise<string> {
  using services = await connect(target)
  for (const giveUpAt = Date.now() + PATIENCE_MS; Date.now() < giveUpAt; await sleep(PAUSE_MS)) {
    const { places } = await services.careCircle.locateCareEvents({ eventIds: [eventId] })
    if (places[0] === CareEventPlace.TIMELINE) return 'reached'
    if (places[0] === CareEventPlace.DEAD) return 'dead: see events list'
  }
  return 'not reached within 10 s'
}
