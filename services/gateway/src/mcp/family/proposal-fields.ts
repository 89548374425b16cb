import { z } from 'zod'
import { time } from './fields.ts'

/** What a write returns while it waits for a member of the family, and afterwards. */
export const proposalFields = {
  proposalId: z.string().optional(),
  /** Of what waits. */
  expiresAt: time.optional(),
}

export const PROPOSAL_STATUSES = ['waiting_for_approval', 'sent', 'declined', 'expired'] as const

/** Both services that keep proposals use these names. */
const STATUS_OF: Readonly<Record<string, (typeof PROPOSAL_STATUSES)[number]>> = {
  PROPOSAL_STATE_WAITING: 'waiting_for_approval',
  PROPOSAL_STATE_SENT: 'sent',
  PROPOSAL_STATE_DECLINED: 'declined',
  PROPOSAL_STATE_EXPIRED: 'expired',
}

type Proposal = { id: string; state: string; expiresAt?: Date | undefined }

export function toProposalFields({ id, state, expiresAt }: Proposal) {
  const status = STATUS_OF[state] ?? 'waiting_for_approval'
  const isWaiting = status === 'waiting_for_approval' && expiresAt !== undefined
  return { proposalId: id, status, ...(isWaiting && { expiresAt: expiresAt.toISOString() }) }
}
