import { invalidArgument } from '@family-inbox/service-kit/rpc/status-error'
import { foldEmail, requireEmail } from '@family-inbox/service-kit/text/text-rules'

const MAX_DRAFTS = 8

/**
 * The addresses an agent names, each once however it is spelled, as it was written first.
 * @throws StatusError INVALID_ARGUMENT for more than 8 different ones, or one that is no address
 */
export function readInviteDrafts(emails: string[]): string[] {
  const drafts = new Map<string, { written: string; place: number }>()
  for (const [place, email] of emails.entries()) {
    const written = email.trim().normalize('NFC')
    const same = foldEmail(email)
    if (!drafts.has(same)) drafts.set(same, { written, place })
  }
  if (drafts.size > MAX_DRAFTS)
    throw invalidArgument(
      'familyMemberEmails',
      `familyMemberEmails must hold at most ${MAX_DRAFTS} different addresses.`,
    )
  for (const { written, place } of drafts.values()) requireEmail(`familyMemberEmails[${place}]`, written)
  return [...drafts.values()].map(({ written }) => written)
}
