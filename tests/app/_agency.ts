import { signedHeaders } from '@family-inbox/ops/events/send-event'
import { connect } from '@family-inbox/ops/services'
import { randomText } from '@family-inbox/service-kit/ids/ids'
import { type Guest, send } from '../_family.ts'
import { until } from '../_wait.ts'
import { type Envelope, eventAbout } from '../event-pipe/_signed-event.ts'

const DATES = { agreementDate: '2026-01-15', reviewDate: '2026-02-01' }

export type Agency = {
  share(shared: boolean): Promise<void>
  /** @returns the status */
  post(fields: Partial<Envelope>): Promise<number>
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
  const post: Agency['post'] = async (fields) => {
    const event = eventAbout(institutionId, subject.subjectRef, fields)
    const body = JSON.stringify(event)
    const headers = signedHeaders(institutionId, secret, body)
    return (await send(`${f.stack.apiUrl}/pipe/v1/events`, { method: 'POST', headers, body })).status
  }
  return {
    async share(shared) {
      using again = await connect(f.stack.target)
      await again.pipe.setFamilyShare({ ...subject, shared })
    },
    post,
    async note(text) {
      const status = await post({ event_type: 'note_added', payload: { caregiver_id: 'cg-1', note_text: text } })
      if (status !== 202) throw new Error(`the event got status ${status}`)
      await until(async () => {
        const { json } = await f.call(family.keys.owner, 'list_care_events', { lovedOneId })
        return json.result.structuredContent.events.length > 0
      })
    },
  }
}
