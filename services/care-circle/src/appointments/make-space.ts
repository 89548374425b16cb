import type { Context } from '../context.ts'
import type { Appointment, Proof } from '../models/appointment.ts'
import { forgetUntaken, recordUntaken } from './untaken.ts'

/** Anyone may send appointments. Those of senders without proof are few, and take nothing from the others. */
const AHEAD_OF_SENDER: Record<Proof, number> = { unverified: 30, verified: 300, forwarded: 300, member: 3000 }
const AHEAD: Record<Proof, number> = { unverified: 150, verified: 3000, forwarded: 3000, member: 3000 }
/** Over or canceled. */
const INACTIVE: Record<Proof, number> = { unverified: 300, verified: 3000, forwarded: 3000, member: 3000 }

export type New = Pick<Appointment, '_id' | 'workspaceId' | 'lovedOneId' | 'senderAddress' | 'occurrences'> & {
  proof: Proof
  activeUntil: Date
}

/** Makes space for one more appointment. False if it is the one that gives way. What gives way is recorded. */
export async function makeSpace(ctx: Context, row: New): Promise<boolean> {
  const { workspaceId, lovedOneId, proof, senderAddress, activeUntil } = row
  const now = new Date()
  const same = { workspaceId, lovedOneId, proof }
  if (activeUntil <= now) {
    await dropOldest(ctx, { ...same, activeUntil: { $lte: now } }, INACTIVE[proof])
    return true
  }
  const ahead = { ...same, activeUntil: { $gt: now } }
  const ofSender = { filter: { ...ahead, senderAddress }, most: AHEAD_OF_SENDER[proof], senderOf: addressOf }
  if (!(await makeSpaceWithin(ctx, row, ofSender, now))) return false
  return makeSpaceWithin(ctx, row, { filter: ahead, most: AHEAD[proof], senderOf: domainOf }, now)
}

type Allowance = { filter: object; most: number; senderOf: (address: string) => string }

async function makeSpaceWithin(ctx: Context, row: New, allowance: Allowance, now: Date): Promise<boolean> {
  const { filter, most, senderOf } = allowance
  if ((await ctx.appointments.countDocuments(filter, { limit: most })) < most) return true
  const found = await ctx.appointments.aggregate<Found>([{ $match: filter }, { $project: projection(now) }])
  const own = { ...row, isKept: false, nextAt: nextStart(row, now) }
  let left = [...found.filter(({ _id }) => _id !== row._id), own].map((appointment) => toAhead(appointment, senderOf))
  while (left.length > most) {
    const gone = findGivingWay(left)
    if (gone === undefined || gone.id === row._id) return false
    await drop(ctx, gone.id)
    left = left.filter((appointment) => appointment !== gone)
  }
  return true
}

type Found = { _id: string; senderAddress: string; isKept: boolean; nextAt: Date }

function projection(now: Date) {
  const isAhead = { $and: [{ $ne: ['$$one.canceled', true] }, { $gt: ['$$one.endsAt', now] }] }
  const ahead = { $filter: { input: '$occurrences', as: 'one', cond: isAhead } }
  return {
    senderAddress: 1,
    isKept: { $gt: [{ $size: '$going' }, 0] },
    nextAt: { $ifNull: [{ $min: { $map: { input: ahead, as: 'one', in: '$$one.startsAt' } } }, '$activeUntil'] },
  }
}

function nextStart({ occurrences, activeUntil }: New, now: Date): Date {
  const ahead = occurrences.filter(({ canceled, endsAt }) => !canceled && endsAt > now)
  return new Date(Math.min(activeUntil.getTime(), ...ahead.map(({ startsAt }) => startsAt.getTime())))
}

function toAhead({ _id: id, senderAddress, isKept, nextAt }: Found, senderOf: Allowance['senderOf']): Ahead {
  return { id, sender: senderOf(senderAddress), nextAt, isKept }
}

const addressOf = (address: string) => address

/** An address costs nothing at a domain of one's own. */
const domainOf = (address: string) => address.slice(address.lastIndexOf('@') + 1)

/** Recorded first, so that a crash hides nothing. Not one to which somebody goes meanwhile. */
async function drop(ctx: Context, _id: string): Promise<void> {
  const nobodyGoes = { _id, going: { $size: 0 } }
  const row = await ctx.appointments.findOne(nobodyGoes, { components: 0, occurrences: 0 }).lean()
  if (row === null) return
  await recordUntaken(ctx, [row])
  const { deletedCount } = await ctx.appointments.deleteOne(nobodyGoes)
  if (deletedCount === 0) await forgetUntaken(ctx, row)
}

async function dropOldest({ appointments }: Context, filter: object, most: number): Promise<void> {
  if ((await appointments.countDocuments(filter, { limit: most })) < most) return
  const [oldest] = await appointments.find(filter, { _id: 1 }).sort({ activeUntil: 1, createdAt: 1 }).limit(1).lean()
  if (oldest !== undefined) await appointments.deleteOne({ _id: oldest._id })
}

type Ahead = {
  id: string
  /** Whoever shares an allowance: an address, or all of one domain. */
  sender: string
  /** When its next occurrence starts. */
  nextAt: Date
  /** Somebody goes to it, so it stays. */
  isKept: boolean
}

/**
 * Which of these gives way when one must: the farthest of the sender with the most, so that whoever fills a calendar takes from
 * nobody else. Of senders with as many, the farthest of all.
 */
export function findGivingWay(rows: Ahead[]): Ahead | undefined {
  const countOf = new Map<string, number>()
  for (const { sender } of rows) countOf.set(sender, (countOf.get(sender) ?? 0) + 1)
  const fullness = ({ sender }: Ahead) => countOf.get(sender) ?? 0
  const [first] = rows
    .filter(({ isKept }) => !isKept)
    .toSorted((a, b) => fullness(b) - fullness(a) || b.nextAt.getTime() - a.nextAt.getTime())
  return first
}
