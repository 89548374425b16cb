import { setTimeout as sleep } from 'node:timers/promises'
import type { CareEvent } from '@family-inbox/care-circle/models/care-event'
import { request } from 'undici'
import type { Agency } from './agencies.ts'
import { signedEvent } from './signed-event.ts'
import type { Workspace } from './workspace.ts'

/** Posts an event and reads the row care-circle wrote. */
export async function postEvent(
  { collection }: Workspace,
  { origin, host }: { origin: string; host: string },
  agency: Agency,
): Promise<CareEvent> {
  const { headers, body } = signedEvent(agency)
  const { statusCode } = await request(`${origin}/pipe/v1/events`, {
    method: 'POST',
    headers: { host, ...headers },
    body,
  })
  if (statusCode !== 202) throw new Error(`an event got status ${statusCode}`)
  const { lovedOneId } = agency
  for (const end = Date.now() + 10_000; Date.now() < end; await sleep(20)) {
    const row = await collection<CareEvent>('careCircle', 'care_events').findOne({ lovedOneId })
    if (row !== null) return row
  }
  throw new Error('care-circle’s database does not have the accepted event')
}
