import { type CalendarChange, type CalendarEvent, SenderProof } from '@family-inbox/proto/calendar/v1/calendar_change'
import { newId } from '@family-inbox/service-kit/ids/ids'
import { isDuplicateKey } from '@family-inbox/service-kit/mongo/mongo'
import { cut } from '@family-inbox/service-kit/text/cut'
import { hashUid } from '@family-inbox/workspace-kit/calendar-changes'
import type { Context } from '../context.ts'
import { crashPoint } from '../crash-points.ts'
import type { Appointment, Proof } from '../models/appointment.ts'
import { applyEvent } from './apply-event.ts'
import { deriveOccurrences, lastEnd } from './derive-occurrences.ts'
import { hasSpace } from './has-space.ts'
import { noticeOf } from './send-notices.ts'

const MAX_MESSAGES = 20
const MAX_NAME_CHARS = 200
const TRIES = 20

const PROOFS: Record<SenderProof, Proof> = {
  [SenderProof.VERIFIED]: 'verified',
  [SenderProof.FORWARDED]: 'forwarded',
  [SenderProof.UNSPECIFIED]: 'unverified',
  [SenderProof.UNRECOGNIZED]: 'unverified',
}

/** Applies the events of one mail. Idempotent. Drops those of unknown loved ones. */
export async function storeChange(ctx: Context, change: CalendarChange): Promise<void> {
  const { workspaceId, lovedOneId } = change
  if (!(await ctx.lovedOnes.exists({ _id: lovedOneId, workspaceId }))) return
  for (const [uid, events = []] of Map.groupBy(change.events, (event) => event.uid))
    await storeEvents(ctx, change, uid, events)
}

async function storeEvents(ctx: Context, change: CalendarChange, uid: string, events: CalendarEvent[]): Promise<void> {
  const { workspaceId, lovedOneId } = change
  const uidHash = hashUid(uid)
  const organizer = events.find(({ organizerAddress }) => organizerAddress !== '')?.organizerAddress ?? ''
  for (let tries = 0; tries < TRIES; tries += 1) {
    const rows = await ctx.appointments.find({ workspaceId, lovedOneId, uidHash }).lean()
    const found = findOwn(rows, change, organizer)
    const isStored =
      found === undefined
        ? await insert(ctx, change, { uidHash, organizer, events })
        : await update(ctx, found, { change, organizer, events })
    if (isStored) return
  }
  throw new Error('an appointment changes too often')
}

/**
 * The appointment that a sender's events may change: the sender's own, or one that a member forwarded before the sender wrote.
 * A forwarded copy of what the sender wrote adds nothing.
 */
function findOwn(rows: Appointment[], change: CalendarChange, organizer: string): Appointment | undefined {
  const proof = PROOFS[change.proof]
  const own = rows.find(({ owner }) => owner === ownerOf(proof, change, organizer))
  if (own !== undefined || proof === 'unverified') return own
  const other = proof === 'verified' ? 'forwarded' : 'verified'
  const same = rows.find(({ owner }) => owner === ownerOf(other, change, organizer))
  if (same === undefined || proof === 'verified') return same
  return change.events.some((event) => applyEvent(same, event)) ? undefined : same
}

function ownerOf(proof: Proof, { senderAddress }: CalendarChange, organizer: string): string {
  return `${proof} ${senderAddress} ${organizer}`
}

function nameOf({ senderName }: CalendarChange): string {
  return cut(senderName, MAX_NAME_CHARS)
}

type NewAppointment = { uidHash: string; organizer: string; events: CalendarEvent[] }

/** False if another was faster. */
async function insert(ctx: Context, change: CalendarChange, added: NewAppointment): Promise<boolean> {
  const { workspaceId, lovedOneId, messageId } = change
  const { uidHash, organizer, events } = added
  const proof = PROOFS[change.proof]
  const row: Appointment = {
    _id: newId('apt'),
    workspaceId,
    lovedOneId,
    uidHash,
    owner: ownerOf(proof, change, organizer),
    proof,
    senderName: nameOf(change),
    senderAddress: change.senderAddress,
    messageIds: [messageId],
    ...applied(NOTHING, events),
    going: [],
    createdAt: new Date(),
    version: 1,
  }
  if (!(await hasSpaceOrWarn(ctx, row))) return true
  try {
    await ctx.appointments.insertOne(row)
    crashPoint('appointment-stored')
    return true
  } catch (error) {
    if (isDuplicateKey(error)) return false
    throw error
  }
}

async function hasSpaceOrWarn(ctx: Context, row: Appointment): Promise<boolean> {
  const isFree = await hasSpace(ctx, row)
  if (!isFree) ctx.logger.warn({ workspace: row.workspaceId }, 'an appointment was dropped: there are too many')
  return isFree
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
  return { components, canceledByFamily, occurrences, lastEndsAt: lastEnd(occurrences) }
}

type Update = { change: CalendarChange; organizer: string; events: CalendarEvent[] }

/** False if it changed meanwhile. */
async function update(ctx: Context, found: Appointment, { change, organizer, events }: Update): Promise<boolean> {
  const { _id, version, messageIds } = found
  const proof = PROOFS[change.proof]
  const whole = events.find(({ recurrenceId }) => recurrenceId === undefined)
  // A changed occurrence alone proves nothing about the series.
  const isProven = proof === 'verified' && found.proof === 'forwarded' && whole !== undefined
  const next = applied(isProven ? startAnew(found, whole) : found, events)
  const isNewMail = !messageIds.includes(change.messageId)
  const notice = noticeOf(found, next.occurrences)
  const hasNews = next.components.some((one) => !found.components.includes(one))
  if (!hasNews && !isNewMail && !isProven) return true
  // Otherwise what is over could be added without end, and then moved ahead.
  const isMovedAhead = found.lastEndsAt <= new Date() && next.lastEndsAt > new Date()
  if (isMovedAhead && !(await hasSpaceOrWarn(ctx, { ...found, ...next }))) return true
  const mails = { messageIds: { $each: [change.messageId], $position: 0, $slice: MAX_MESSAGES } }
  const { matchedCount } = await ctx.appointments.updateOne(
    { _id, version },
    {
      $set: {
        ...(hasNews && { ...next, ...notice }),
        ...(isProven && { proof, owner: ownerOf(proof, change, organizer), senderName: nameOf(change) }),
      },
      ...(isNewMail && { $push: mails }),
      ...(hasNews && { $inc: { version: 1 } }),
    },
  )
  if (notice.noticeDueAt !== undefined) ctx.wake.notices()
  return matchedCount === 1
}

/** What was only forwarded must not look verified, however new it says it is. A cancellation needs what it cancels. */
function startAnew(found: Appointment, { canceled }: CalendarEvent): Known {
  const older = found.components.map((one) => ({ ...one, sequence: -1, stampedAt: new Date(0) }))
  return { ...found, components: canceled ? older : [] }
}
