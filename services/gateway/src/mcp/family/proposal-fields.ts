export const WAITING = 'waiting_for_approval'

/** Both services that keep proposals use these names. */
const STATUS_OF: Readonly<Record<string, string>> = {
  PROPOSAL_STATE_WAITING: WAITING,
  PROPOSAL_STATE_SENT: 'sent',
  PROPOSAL_STATE_DECLINED: 'declined',
  PROPOSAL_STATE_EXPIRED: 'expired',
}

type Proposal = { id: string; state: string; expiresAt?: Date | undefined }

/** What a write returns while it waits for a member of the family, and afterwards. */
export function toProposalFields({ id, state, expiresAt }: Proposal) {
  const status = STATUS_OF[state] ?? WAITING
  const isWaiting = status === WAITING && expiresAt !== undefined
  return { proposalId: id, status, ...(isWaiting && { expiresAt: expiresAt.toISOString() }) }
}
