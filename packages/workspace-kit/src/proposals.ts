import type { AllowanceScope } from '@family-inbox/service-kit/mongo/allowance'
import { StatusError } from '@family-inbox/service-kit/rpc/status-error'

/** What an assistant wrote and a member decides about: a reply in inbox, an invitation in care-circle. */
export type ProposalRow = {
  /** A waiting one that is too old has expired, marked or not. */
  state: 'waiting' | 'approved' | 'sent' | 'declined' | 'expired'
  expiresAt: Date
  decidedByName?: string
}

const DAY_MS = 24 * 60 * 60 * 1000
export const PROPOSAL_LIFETIME_MS = 7 * DAY_MS
/** Answers repeated calls for that long after the end. */
export const PROPOSAL_KEPT_AFTER_END_SEC = 30 * 24 * 60 * 60
/** Of one workspace, of each kind. */
const MOST_PER_DAY = 50
/** All that can wait at a time. */
export const MAX_WAITING = 8 * MOST_PER_DAY

export function waitingProposals(now = new Date()) {
  return { state: 'waiting' as const, expiresAt: { $gt: now } }
}

export function isExpired({ state, expiresAt }: ProposalRow): boolean {
  return state === 'expired' || (state === 'waiting' && expiresAt <= new Date())
}

/** The words for a member who presses a button too late. */
export function alreadyDecided(proposal: ProposalRow): StatusError {
  const { state, decidedByName = 'Someone' } = proposal
  if (isExpired(proposal))
    return new StatusError('FAILED_PRECONDITION', 'It waited for more than seven days, so it was not sent.')
  const done = state === 'declined' ? 'declined' : 'sent'
  return new StatusError('FAILED_PRECONDITION', `${decidedByName} already ${done} it.`)
}

export function proposalAllowanceId(workspaceId: string): string {
  return `proposals/${workspaceId}`
}

export function proposalAllowance(workspaceId: string): AllowanceScope {
  const refusal = 'Assistants of this family proposed too much today. Nothing was stored.'
  return { _id: proposalAllowanceId(workspaceId), windows: [{ most: MOST_PER_DAY, ms: DAY_MS }], refusal }
}
