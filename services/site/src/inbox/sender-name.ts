import type { Mailbox } from '@family-inbox/proto/inbox/v1/inbox'

/** Who somebody is: their name, else their address. */
export function senderName(mailbox: Mailbox | undefined): string {
  return mailbox?.name || mailbox?.address || 'Nobody named'
}
