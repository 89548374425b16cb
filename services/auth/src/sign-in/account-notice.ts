import { MailKind } from '@family-inbox/proto/mail/v1/mail'
import { deriveId, newId } from '@family-inbox/service-kit/ids/ids'
import { fromService } from '@family-inbox/workspace-kit/outgoing-mail'
import type { Context } from '../context.ts'

type Notice = { subject: string; text: string }

/**
 * Mails a person that how they sign in has changed. Holds no code, and comes whatever they chose for notifications.
 * @param about makes it the same mail when it is sent again
 */
export async function mailNotice(
  ctx: Context,
  email: string,
  { subject, text }: Notice,
  about?: (string | number)[],
): Promise<void> {
  await ctx.mailQueue.send({
    id: `account-${about === undefined ? newId('ntc') : deriveId('ntc', about.map(String))}`,
    kind: MailKind.ALARM,
    workspaceId: '',
    ...fromService({ email, name: '' }),
    subject,
    text: [
      text,
      'If this was you, you don’t need to do anything. If not, sign in, remove passkeys you don’t know and sign out your devices.',
    ].join('\n\n'),
    actionLabel: 'Check your passkeys',
    actionUrl: `${ctx.config.urls.inbox}/settings/passkeys`,
  })
}
