import type { MailboxObject } from 'imapflow'
import type { Context } from '../context.ts'
import type { FetchedMailbox, Position } from '../models/mailbox.ts'
import { requireHeld } from './require-held.ts'

/**
 * Where to go on in the folder that was just opened. The first time, that is behind the mail that is there, or before it. After a
 * change of UIDVALIDITY everything has a new UID, so all is looked at again.
 */
export async function findPosition(ctx: Context, row: FetchedMailbox, opened: MailboxObject): Promise<Position> {
  const uidValidity = `${opened.uidValidity}`
  if (row.position?.uidValidity === uidValidity) return row.position
  const position = positionIn(row, uidValidity, opened.uidNext)
  await requireHeld(ctx, row, { $set: { position } })
  return position
}

function positionIn({ position, withEarlier }: FetchedMailbox, uidValidity: string, uidNext: number): Position {
  if (position !== undefined) return { uidValidity, lastUid: 0, knownBelow: uidNext }
  return withEarlier ? { uidValidity, lastUid: 0, earlierBelow: uidNext } : { uidValidity, lastUid: uidNext - 1 }
}
