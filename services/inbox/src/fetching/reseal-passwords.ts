import type { Context } from '../context.ts'

/** So that older keys can be removed from the settings. A password that changes meanwhile is sealed with the first key already. */
export async function resealPasswords({ mailboxes, mailboxSecrets, logger }: Context): Promise<void> {
  let changed = 0
  for await (const { _id, sealed } of mailboxes.find({}, { sealed: 1 }).lean().cursor()) {
    if (mailboxSecrets.isCurrent(sealed)) continue
    const again = mailboxSecrets.seal(mailboxSecrets.open(sealed, _id), _id)
    changed += (await mailboxes.updateOne({ _id, sealed }, { $set: { sealed: again } })).modifiedCount
  }
  if (changed > 0) logger.info({ mailboxes: changed }, 're-encrypted passwords with the first key')
}
