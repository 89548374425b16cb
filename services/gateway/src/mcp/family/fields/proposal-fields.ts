export const WAITING = 'waiting_for_approval'

/** Both services that keep proposals use these names. */
const STATUS_OF: Readonly<Record<string, string>> = {
  PROPOSAL_STATE_WAITING: WAITING,
  PROPOSAL_STATE_SENT: 'sent',
  PROPOSAL_STATE_DECLINED: 'declined',
  PROPOSAL_STATE_EXPIRED: 'expired',
}

/** For a model. The same call tells later what became of it. */
const GUARDED =
  'You read mail from an unverified sender, so a family member sends or declines this first, in the application under Waiting for approval. Nothing leaves before. Tell the person you act for. Until that decision, what you write next waits, too.'

type Proposal = { id: string; state: string; expiresAt?: Date | undefined; guarded?: boolean | undefined }

/** The result of a write while it waits for a member of the family, and afterwards. */
export function toProposalFields({ id, state, expiresAt, guarded }: Proposal) {
  const status = STATUS_OF[state] ?? WAITING
  const isWaiting = status === WAITING && expiresAt !== undefined
  return {
    proposalId: id,
    status,
    ...(isWaiting && { expiresAt: expiresAt.toISOString() }),
    ...(isWaiting && guarded && { reason: GUARDED }),
  }
}
