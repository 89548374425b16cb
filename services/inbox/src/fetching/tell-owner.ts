import { MailKind } from '@family-inbox/proto/mail/v1/mail'
import { nameInMail } from '@family-inbox/workspace-kit/mail-name'
import { deriveMailId, fromService } from '@family-inbox/workspace-kit/outgoing-mail'
import type { Context } from '../context.ts'
import type { FetchedMailbox } from '../models/mailbox.ts'

/**
 * Mails the owner that a mailbox is given up: from now on its new mail does not come, and nobody would notice. Call before that is
 * stored; the number of times is in the id, so a repeat sends nothing twice. Names no account and no reason: the page does.
 */
export async function tellOwner(
  ctx: Context,
  { _id, workspaceId, lovedOneId, givenUp = 0 }: FetchedMailbox,
): Promise<void> {
  const asked = { workspaceId, personIds: [], emails: [], owner: true }
  const { recipients, lovedOnes } = await ctx.careCircle.listMailRecipients(asked)
  const name = nameInMail(lovedOnes.find(({ id }) => id === lovedOneId)?.name ?? '')
  for (const recipient of recipients)
    await ctx.mailQueue.send({
      id: deriveMailId('mailbox', [_id, recipient.personId, givenUp]),
      kind: MailKind.MAILBOX,
      workspaceId,
      ...fromService(recipient),
      subject: `Mail for ${name} is no longer fetched`,
      text: [
        `We can’t fetch the mail of a mailbox that you added for ${name}, and have stopped trying.`,
        'New mail stays in that mailbox. It comes here once fetching works again. What came before is not affected.',
      ].join('\n\n'),
      actionLabel: 'See what is wrong',
      actionUrl: `${ctx.config.inboxUrl}/settings/mailboxes`,
    })
}
