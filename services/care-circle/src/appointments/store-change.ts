import type { CalendarChange, CalendarEvent } from '@family-inbox/proto/calendar/v1/calendar_change'
import { newId } from '@family-inbox/service-kit/ids/ids'
import { isDuplicateKey } from '@family-inbox/service-kit/mongo/mongo'
import { cut } from '@family-inbox/service-kit/text/cut'
import { DAY_MS } from '@family-inbox/service-kit/time/days'
import { hashUid } from '@family-inbox/workspace-kit/calendar-changes'
import type { Context } from '../context.ts'
import { crashPoint } from '../crash-points.ts'
import type { Appointment, Proof } from '../models/appointment.ts'
import { applyEvent } from './apply-event.ts'
import { deriveOccurrences, endsOf } from './derive-occurrences.ts'
import { findOwn, nextOwner, ownerOf, proofOf, type SaidOfOne } from './find-own.ts'
import { makeSpace, type New } from './make-space.ts'
import { newsOf, noticeOf } from './send-notices.ts'
import { forgetUntaken, isRemoved, recordUntaken } from './untaken.ts'

const MAX_MESSAGES = 20
const MAX_NAME_CHARS = 200
const TRIES = 20
/** A clinic plans no further, and a calendar that a stranger fills has an end. */
const HORIZON_MS = 2 * 366 * DAY_MS

/** Applies the events of one mail. Idempotent. Drops those of unknown loved ones. */
export async function storeChange(ctx: Context, change: CalendarChange): Promise<void> {
  const { workspaceId, lovedOneId } = change
  if (!(await ctx.lovedOnes.exists({ _id: lovedOneId, workspaceId }))) return
  for (const [uidHash, events = []] of Map.groupBy(change.events, (event) => uidHashOf(change, event)))
    await storeEvents(ctx, change, uidHash, events)
}

/** A derived UID names an event of this sender only. No UID in a file has a line break. */
function uidHashOf({ senderAddress }: CalendarChange, { uid, withoutUid }: CalendarEvent): string {
  return hashUid(withoutUid ? `${uid}\n${senderAddress}` : uid)
}

async function storeEvents(
  ctx: Context,
  change: CalendarChange,
  uidHash: string,
  events: CalendarEvent[],
): Promise<void> {
  const { workspaceId, lovedOneId } = change
  const organizer = events.find(({ organizerAddress }) => organizerAddress !== '')?.organizerAddress ?? ''
  for (let tries = 0; tries < TRIES; tries += 1) {
    const rows = await ctx.appointments.find({ workspaceId, lovedOneId, uidHash }).lean()
    const found = findOwn(rows, { change, organizer, events })
    const isStored =
      found === undefined
        ? await insert(ctx, change, { uidHash, organizer, events })
        : await update(ctx, found, { change, organizer, events })
    if (isStored) return
  }
  throw new Error('an appointment changes too often')
}

function nameOf({ senderName }: CalendarChange): string {
  return cut(senderName, MAX_NAME_CHARS)
}

type NewAppointment = { uidHash: string; organizer: string; events: CalendarEvent[] }

/** False if another was faster. */
async function insert(ctx: Context, change: CalendarChange, added: NewAppointment): Promise<boolean> {
  const { workspaceId, lovedOneId, messageId } = change
  const { uidHash, organizer, events } = added
  const proof = proofOf(change)
  const near = events.flatMap((event) => withinHorizon(event) ?? [])
  const row = {
    _id: newId('apt'),
    workspaceId,
    lovedOneId,
    uidHash,
    owner: ownerOf(proof, change, organizer),
    proof,
    senderName: nameOf(change),
    senderAddress: change.senderAddress,
    messageIds: [messageId],
    ...applied(NOTHING, near.length > 0 ? near : events),
    going: [],
    createdAt: new Date(),
    version: 1,
  } satisfies Appointment
  const news = newsOf(row)
  if (await isRemoved(ctx, row)) return true
  if (near.length === 0 || !(await makeSpace(ctx, row))) return leaveOut(ctx, row)
  try {
    await ctx.appointments.insertOne({ ...row, ...news })
    if (news.noticeDueAt !== undefined) ctx.wake.notices()
    crashPoint('appointment-stored')
    await forgetUntaken(ctx, row)
    return true
  } catch (error) {
    if (isDuplicateKey(error)) return false
    throw error
  }
}

/** Keeps the starts that are near enough; undefined if none is. */
function withinHorizon(event: CalendarEvent): CalendarEvent | undefined {
  const last = new Date(Date.now() + HORIZON_MS)
  const starts = event.starts.filter((at) => at <= last)
  return starts.length === 0 && event.starts.length > 0 ? undefined : { ...event, starts }
}

/** Appointments that are over or canceled do not have to be reported. */
async function leaveOut(ctx: Context, row: Appointment & New): Promise<true> {
  if (row.activeUntil > new Date()) await recordUntaken(ctx, [row])
  ctx.logger.info({ workspace: row.workspaceId }, 'an appointment was left out: too far ahead, or more than fit')
  return true
}

const NOTHING = { components: [], occurrences: [], canceledByFamily: [], going: [], version: 0 }

type Known = Pick<Appointment, 'components' | 'occurrences' | 'canceledByFamily' | 'going'>

function applied(known: Known, events: CalendarEvent[]) {
  let { components, canceledByFamily } = known
  // The series first: its changed occurrences follow it in the file or not.
  for (const event of events.toSorted(
    (a, b) => Number(a.recurrenceId !== undefined) - Number(b.recurrenceId !== undefined),
  ))
    ({ components, canceledByFamily } = applyEvent({ components, canceledByFamily }, event) ?? {
      components,
      canceledByFamily,
    })
  const occurrences = deriveOccurrences({ ...known, components, canceledByFamily }, new Date())
  return { components, canceledByFamily, occurrences, ...endsOf(occurrences) }
}

/** False if it changed meanwhile. */
async function update(ctx: Context, found: Appointment, said: SaidOfOne): Promise<boolean> {
  const { change, events } = said
  const { _id, version, messageIds } = found
  const proof = proofOf(change)
  const whole = events.find(({ recurrenceId }) => recurrenceId === undefined)
  // A changed occurrence alone proves nothing about the series.
  const isProven = proof === 'verified' && found.proof === 'forwarded' && whole !== undefined
  const next = applied(isProven ? resetComponents(found, whole) : found, changesOf(proof, events))
  const isNewMail = !messageIds.includes(change.messageId)
  const notice = noticeOf(found, next.occurrences)
  const hasChanges = next.components.some((component) => !found.components.includes(component))
  if (!hasChanges && !isNewMail && !isProven) return true
  // Otherwise what is over or canceled could be added without end, and then moved ahead.
  if (isMovedAhead(found, next) && !(await makeSpace(ctx, { ...found, ...next })))
    return leaveOut(ctx, { ...found, ...next, messageIds: [change.messageId] })
  const mails = { messageIds: { $each: [change.messageId], $position: 0, $slice: MAX_MESSAGES } }
  const { matchedCount } = await ctx.appointments.updateOne(
    { _id, version },
    {
      $set: {
        ...(hasChanges && { ...next, ...notice }),
        owner: nextOwner(found, said, isProven),
        ...(isProven && { proof, senderName: nameOf(change) }),
      },
      ...(isNewMail && { $push: mails }),
      ...(hasChanges && { $inc: { version: 1 } }),
    },
  )
  if (notice.noticeDueAt !== undefined) {
    ctx.wake.notices()
    ctx.wake.reminders()
  }
  if (matchedCount === 0) return false
  if (hasChanges) await forgetUntaken(ctx, found)
  return true
}

/** Anybody can name an event that has no UID, so only its proven sender changes it. */
function changesOf(proof: Proof, events: CalendarEvent[]): CalendarEvent[] {
  return events
    .filter(({ withoutUid }) => !withoutUid || proof === 'verified')
    .map((event) => withinHorizon(event) ?? event)
}

function isMovedAhead({ activeUntil, lastEndsAt }: Appointment, next: Pick<New, 'activeUntil'>): boolean {
  const now = new Date()
  return (activeUntil ?? lastEndsAt) <= now && next.activeUntil > now
}

/** A forwarded component must not look verified, however new it claims to be. A cancellation needs what it cancels. */
function resetComponents(found: Appointment, { canceled }: CalendarEvent): Known {
  const older = found.components.map((component) => ({ ...component, sequence: -1, stampedAt: new Date(0) }))
  return { ...found, components: canceled ? older : [] }
}
