import type { Mailbox, MessageSummary } from '@family-inbox/proto/inbox/v1/inbox'

export type Original = {
  writer: Mailbox
  /** Whether a member forwarded it, provably. Otherwise it is only what the mail says, and anybody can write that. */
  isVerified: boolean
}

/** Who wrote a forwarded mail; undefined for mail that its sender wrote. */
export function originalOf({ sender, originalSender, originalVerified = false }: MessageSummary): Original | undefined {
  if (originalSender === undefined || isSame(originalSender, sender)) return undefined
  return { writer: originalSender, isVerified: originalVerified }
}

function isSame(one: Mailbox, other: Mailbox | undefined): boolean {
  return one.address.toLowerCase() === other?.address.toLowerCase()
}
