import type { Context } from '../context.ts'
import type { Appointment, Proof } from '../models/appointment.ts'

/** Counted by proof: appointments of strangers never keep out those of a clinic or a member. */
export const MAX_AHEAD: Record<Proof, number> = { unverified: 300, verified: 3000, forwarded: 3000, member: 3000 }
const MAX_AHEAD_OF_SENDER = 300
const MAX_OVER = 3000

type New = Pick<Appointment, 'workspaceId' | 'lovedOneId' | 'proof' | 'senderAddress' | 'lastEndsAt'>

/** Whether one more fits. Appointments that are over take no space from those that are still ahead. */
export async function hasSpace(ctx: Context, row: New): Promise<boolean> {
  const { workspaceId, lovedOneId, proof, senderAddress, lastEndsAt } = row
  const now = new Date()
  const same = { workspaceId, lovedOneId, proof }
  if (lastEndsAt <= now) return isBelow(ctx, { ...same, lastEndsAt: { $lte: now } }, MAX_OVER)
  const ahead = { ...same, lastEndsAt: { $gt: now } }
  if (!(await isBelow(ctx, ahead, MAX_AHEAD[proof]))) return false
  return proof === 'member' || isBelow(ctx, { ...ahead, senderAddress }, MAX_AHEAD_OF_SENDER)
}

async function isBelow({ appointments }: Context, filter: object, most: number): Promise<boolean> {
  return (await appointments.countDocuments(filter, { limit: most })) < most
}
