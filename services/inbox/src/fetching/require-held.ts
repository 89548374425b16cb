import type { Context } from '../context.ts'
import type { FetchedMailbox } from '../models/mailbox.ts'

/** Somebody changed, removed or took over the mailbox. */
export class MailboxTaken extends Error {
  override name = 'MailboxTaken'
}

/** Changes the row of a mailbox, if a change is given. @throws MailboxTaken unless `row.holder` still has it */
export async function requireHeld(
  { mailboxes }: Pick<Context, 'mailboxes'>,
  { _id, holder }: FetchedMailbox,
  change?: object,
): Promise<void> {
  const own = { _id, holder }
  const isHeld =
    change === undefined
      ? (await mailboxes.exists(own)) !== null
      : (await mailboxes.updateOne(own, change)).matchedCount === 1
  if (!isHeld) throw new MailboxTaken()
}
