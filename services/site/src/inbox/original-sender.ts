import type { Mailbox, MessageSummary } from '@family-inbox/proto/inbox/v1/inbox'

export type Original = {
  writer: Mailbox
  /** Whether a member verifiably forwarded it. If not, anyone could have forged `writer`. */
  isVerified: boolean
}

/** The original sender of a forwarded message; undefined if it was not forwarded. */
export function originalOf({ sender, originalSender, originalVerified = false }: MessageSummary): Original | undefined {
  if (originalSender === undefined || isSame(originalSender, sender)) return undefined
  return { writer: originalSender, isVerified: originalVerified }
}

function isSame(one: Mailbox, other: Mailbox | undefined): boolean {
  return one.address.toLowerCase() === other?.address.toLowerCase()
}
