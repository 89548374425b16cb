import { createHmac } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { connect } from '@family-inbox/ops/services'
import { randomText } from '@family-inbox/service-kit/ids/ids'
import { type Guest, send } from '../_family.ts'

const DATES = { agreementDate: '2026-01-15', reviewDate: '2026-02-01' }

export type Agency = {
  share(shared: boolean): Promise<void>
  /** Sends a note and waits until it is on the timeline. */
  note(text: string): Promise<void>
}

/** Links an agency to the family's first loved one, with sharing on. */
export async function linkAgency(
  f: Guest,
  family: Pick<Guest['family'], 'keys' | 'lovedOnes'>,
  name = 'Sunrise Home Care',
): Promise<Agency> {
  const lovedOneId = family.lovedOnes[0]?.id ?? ''
  const minted = await f.call(family.keys.owner, 'create_provider_code', { lovedOneId })
  const subject = { institutionId: `agency-${randomText(8)}`, subjectRef: `client-${randomText(8)}` }
  const { institutionId } = subject
  using services = await connect(f.stack.target)
  const { pipe } = services
  const { secret } = await pipe.addPartner({ institutionId, name, ...DATES, namespaces: [] })
  await pipe.setPartnerActive({ institutionId, active: true, ...DATES })
  await pipe.linkSubject({ ...subject, providerCode: minted.json.result.structuredContent.code })
  await pipe.setFamilyShare({ ...subject, shared: true })
  return {
    async share(shared) {
      using again = await connect(f.stack.target)
      await again.pipe.setFamilyShare({ ...subject, shared })
    },
    async note(text) {
      const body = JSON.stringify({
        institution_id: institutionId,
        subject_ref: subject.subjectRef,
        event_type: 'note_added',
        occurred_at: new Date().toISOString(),
        payload: { caregiver_id: 'cg-1', note_text: text },
      })
      const signature = createHmac('sha256', secret).update(body).digest('hex')
      const headers = {
        'content-type': 'application/json',
        'x-pipe-institution': institutionId,
        'x-pipe-signature': `sha256=${signature}`,
        'x-pipe-timestamp': new Date().toISOString(),
      }
      const { status } = await send(`${f.stack.apiUrl}/pipe/v1/events`, { method: 'POST', headers, body })
      if (status !== 202) throw new Error(`the event got status ${status}`)
      for (let waited = 0; waited < 30_000; waited += 100) {
        const { json } = await f.call(family.keys.owner, 'list_care_events', { lovedOneId })
        if (json.result.structuredContent.events.length > 0) return
        await sleep(100)
      }
      throw new Error('the event did not reach the timeline')
    },
  }
}
