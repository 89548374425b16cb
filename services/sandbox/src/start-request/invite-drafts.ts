import { invalidArgument } from '@family-inbox/service-kit/rpc/status-error'
import { foldEmail, requireEmail } from '@family-inbox/service-kit/text/text-rules'

const MAX_DRAFTS = 8

/**
 * Returns each address once, in its first spelling.
 * @throws StatusError INVALID_ARGUMENT above 8 different addresses, or for an invalid one
 */
export function readInviteDrafts(emails: string[]): string[] {
  const drafts = new Map<string, { written: string; position: number }>()
  for (const [position, email] of emails.entries()) {
    const written = email.trim().normalize('NFC')
    const same = foldEmail(email)
    if (!drafts.has(same)) drafts.set(same, { written, position })
  }
  if (drafts.size > MAX_DRAFTS)
    throw invalidArgument(
      'familyMemberEmails',
      `familyMemberEmails must hold at most ${MAX_DRAFTS} different addresses.`,
    )
  for (const { written, position } of drafts.values()) requireEmail(`familyMemberEmails[${position}]`, written)
  return [...drafts.values()].map(({ written }) => written)
}
