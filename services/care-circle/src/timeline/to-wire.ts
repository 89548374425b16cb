import type { CareEvent as WireCareEvent } from '@family-inbox/proto/carecircle/v1/care_circle'
import type { SharedLink } from '@family-inbox/proto/pipe/v1/pipe'
import { cleanLine } from '@family-inbox/service-kit/text/clean-text'
import type { CareEvent } from '../models/care-event.ts'
import { isUrgent } from './urgent.ts'

export function toWireEvent(row: CareEvent, links: SharedLink[]): WireCareEvent {
  const { _id: id, linkId, occurredAt, receivedAt, details, taken } = row
  const source = links.find((link) => link.linkId === linkId)?.institutionName ?? ''
  // Agencies may send types of their own.
  const eventType = cleanLine(row.eventType)
  const takenBy = taken?.personId ?? ''
  return { id, eventType, occurredAt, receivedAt, source, urgent: isUrgent(eventType), takenBy, ...details }
}
