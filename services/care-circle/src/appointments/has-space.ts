import type { Context } from '../context.ts'
import type { Appointment } from '../models/appointment.ts'

/** The limit for appointments that members add, ahead; and as many that are over or canceled. */
export const MOST_OF_MEMBERS = 3000

type New = Pick<Appointment, 'workspaceId' | 'lovedOneId'> & { activeUntil: Date }

/** Whether members may add another. What is over or canceled takes no space from what is ahead. */
export async function hasSpace({ appointments }: Context, row: New): Promise<boolean> {
  const { workspaceId, lovedOneId, activeUntil } = row
  const now = new Date()
  const same = { workspaceId, lovedOneId, proof: 'member' as const }
  const filter = { ...same, activeUntil: activeUntil > now ? { $gt: now } : { $lte: now } }
  return (await appointments.countDocuments(filter, { limit: MOST_OF_MEMBERS })) < MOST_OF_MEMBERS
}
