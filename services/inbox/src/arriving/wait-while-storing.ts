import { setTimeout as sleep } from 'node:timers/promises'
import type { Context } from '../context.ts'

const STEP_MS = 50

/** Lets mail that is arriving go first: for one step at least, and until `latest` (epoch ms) at most. */
export async function waitWhileStoring({ storing }: Pick<Context, 'storing'>, latest: number): Promise<void> {
  while (storing.held > 0) {
    await sleep(STEP_MS, undefined, { ref: false })
    if (Date.now() >= latest) return
  }
}
