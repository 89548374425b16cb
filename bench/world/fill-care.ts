import type { CareEvent, CareEventDetails } from '@family-inbox/care-circle/models/care-event'
import { newId } from '@family-inbox/service-kit/ids/ids'
import type { Workspace } from './workspace.ts'

const CHUNK = 5000
const EVERY_MS = 2 * 3_600_000

/**
 * Adds visits, medication and readings to a timeline, one every two hours, going back.
 * @param sample a row that care-circle wrote
 */
export async function fillCare({ collection }: Workspace, sample: CareEvent, count: number): Promise<void> {
  const events = collection<CareEvent>('careCircle', 'care_events')
  const now = Date.now()
  for (let from = 0; from < count; from += CHUNK) {
    const rows = Array.from({ length: Math.min(CHUNK, count - from) }, (_, index) => {
      const occurredAt = new Date(now - (from + index + 1) * EVERY_MS)
      const [eventType, details] = eventAt(from + index, occurredAt)
      return { ...sample, _id: newId('evt'), eventType, details, occurredAt, receivedAt: occurredAt }
    })
    await events.insertMany(rows, { ordered: false, writeConcern: { w: 1 } })
  }
}

function eventAt(index: number, at: Date): [string, CareEventDetails] {
  const medication = { medicationName: 'Metoprolol', doseAmount: '50', doseUnit: 'mg', scheduledAt: at }
  const vital = { vitalType: 'heart_rate', value: `${60 + (index % 30)}`, unit: 'bpm', secondaryValue: '' }
  if (index % 3 === 0) return ['med_administered', { medicationAdministered: medication }]
  if (index % 3 === 1) return ['vital_recorded', { vitalRecorded: vital }]
  return ['visit_ended', { visitEnded: { actualEnd: at, durationMinutes: 45 } }]
}
