import { deriveOccurrences, endsOf } from '@family-inbox/care-circle/appointments/derive-occurrences'
import type { Appointment, Component, Going, Proof } from '@family-inbox/care-circle/models/appointment'
import { newId } from '@family-inbox/service-kit/ids/ids'
import { hashUid, occurrenceKey } from '@family-inbox/workspace-kit/calendar-changes'
import type { Workspace } from './workspace.ts'

export type CalendarSize = {
  /** That are over. */
  past: number
  /** Still to come, one every 22 hours. */
  ahead: number
  /** Weekly; every second one is over. */
  series: number
}

type Source = { lovedOneId: string; personIds: string[]; messageIds: string[] }

const CHUNK = 1000
const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const WEEKS = 108
const PROOFS: Proof[] = ['verified', 'forwarded', 'member', 'verified', 'member', 'forwarded', 'unverified']

/** Adds appointments of all kinds, in the form that care-circle stores, for each loved one in turn. */
export async function fillCalendar(
  { collection, family }: Workspace,
  { past, ahead, series }: CalendarSize,
  sources: Source[],
): Promise<void> {
  const now = Date.now()
  const total = past + ahead + series
  const rows = Array.from({ length: total }, (_, index) => {
    const [proof, source] = [PROOFS[index % PROOFS.length] as Proof, sources[index % sources.length] as Source]
    const said = { proof, index, source, workspaceId: family.workspaceId }
    if (index < past) return toRow(said, [single(now - (index + 1) * 9 * HOUR_MS, index)])
    if (index < past + ahead) return toRow(said, [single(now + (index - past + 1) * 22 * HOUR_MS, index)])
    // Members add single appointments only.
    return toRow({ ...said, proof: 'verified' }, weekly(now, index))
  })
  const appointments = collection<Appointment>('careCircle', 'appointments')
  for (let from = 0; from < total; from += CHUNK)
    await appointments.insertMany(rows.slice(from, from + CHUNK), { ordered: false, writeConcern: { w: 1 } })
}

type Said = { proof: Proof; index: number; source: Source; workspaceId: string }

function toRow({ proof, index, source, workspaceId }: Said, components: Component[]): Appointment {
  const _id = newId('apt')
  const { lovedOneId, personIds, messageIds } = source
  const canceledByFamily = components.length > 1 ? [keyOf(components, 4)] : []
  const going = goingTo(components, index, personIds)
  const occurrences = deriveOccurrences({ components, occurrences: [], canceledByFamily, going }, new Date())
  const isOwn = proof === 'member'
  const senderAddress = isOwn ? '' : `desk${index % 40}@clinic.example`
  return {
    _id,
    workspaceId,
    lovedOneId,
    uidHash: hashUid(_id),
    owner: isOwn ? 'family' : `${proof} ${senderAddress} ${senderAddress}`,
    proof,
    senderName: isOwn ? '' : 'Riverside Clinic',
    senderAddress,
    messageIds: isOwn ? [] : [messageIds[index % messageIds.length] ?? ''],
    components,
    occurrences,
    ...endsOf(occurrences),
    canceledByFamily,
    going,
    ...(isOwn && { addedBy: personIds[0] ?? '' }),
    createdAt: new Date(),
    version: 1,
  }
}

/** Two of three have somebody who goes; a series has them for each of its next visits. */
function goingTo(components: Component[], index: number, personIds: string[]): Going[] {
  if (index % 3 === 0) return []
  const personId = personIds[index % personIds.length] ?? ''
  if (components.length === 1) return [{ key: '', personId }]
  return [5, 6, 7, 8].map((visit) => ({ key: keyOf(components, visit), personId }))
}

function keyOf([series]: Component[], visit: number): string {
  return occurrenceKey(series?.starts[visit] as Date)
}

function single(startsAt: number, index: number): Component {
  const isStay = index % 100 === 50
  const said = { title: isStay ? 'Respite stay' : `Checkup ${index}`, place: 'Riverside Clinic, Main Street 5' }
  return { ...NEW, ...said, starts: [onTheHour(startsAt)], durationSec: isStay ? 10 * 86_400 : 45 * 60 }
}

/** With one visit that was moved and one that was canceled by its sender; and one left out by the series itself. */
function weekly(now: number, index: number): Component[] {
  const first = now - (index % 2 === 0 ? 31 : (WEEKS + 2) * 7) * DAY_MS + (index % 50) * 3 * HOUR_MS
  const starts = Array.from({ length: WEEKS }, (_, week) => onTheHour(first + week * 7 * DAY_MS))
  const said = { title: `Physiotherapy ${index}`, place: 'Practice in Mill Lane', durationSec: 50 * 60 }
  const series = { ...NEW, ...said, starts: starts.filter((_, week) => week !== 9), recurring: true }
  const [moved, canceled] = [starts[6] as Date, starts[7] as Date]
  const later = new Date(moved.getTime() + DAY_MS)
  return [
    series,
    { ...NEW, ...said, recurrenceId: moved, sequence: 1, starts: [later] },
    { ...NEW, ...said, recurrenceId: canceled, sequence: 1, starts: [canceled], canceled: true },
  ]
}

const NEW = { sequence: 0, stampedAt: new Date(), canceled: false, kind: 'moment', recurring: false } as const

function onTheHour(at: number): Date {
  return new Date(Math.floor(at / HOUR_MS) * HOUR_MS)
}
