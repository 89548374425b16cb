import { createHash } from 'node:crypto'
import type { Membership } from '@family-inbox/proto/carecircle/v1/care_circle'
import { type mailLimitModel, type RateLimit, spendRateLimits } from '@family-inbox/service-kit/mongo/rate-limit'
import { DAY_MS, DAY_SEC } from '@family-inbox/service-kit/time/days'

/** An assistant’s text that a member decides about: a reply in inbox, an invitation in care-circle. */
export type Proposal = {
  _id: string
  workspaceId: string
  /** Whose assistant wrote it, and their name at the time. */
  personId: string
  name: string
  assistant: string
  /** As the assistant asked: the same request with the same key is the same proposal. */
  idempotencyKey?: string
  requestHash: string
  /** `approved`: what it becomes may not be stored yet; a sweep does that. A waiting one that is too old has expired, marked or not. */
  state: 'waiting' | 'approved' | 'sent' | 'declined' | 'expired'
  createdAt: Date
  /** Then a waiting one is no longer sent. */
  expiresAt: Date
  decidedBy?: string
  decidedByName?: string
  decidedAt?: Date
  /** Under which it was proposed, if the assistant had read mail of an unverified sender. */
  guardMark?: string
}

const LIFETIME_MS = 7 * DAY_MS
/** Answers repeated calls for that long after the end. */
export const PROPOSAL_KEPT_AFTER_END_SEC = 30 * DAY_SEC
/** The limit for a workspace and kind. */
const MOST_PER_DAY = 50
export const MAX_WAITING = 8 * MOST_PER_DAY
/** Without a key, the same request within this time is the same reply, invitation or proposal. A proposal is so while it waits, too. */
export const DUPLICATE_WINDOW_MS = 10 * 60_000

export function waitingProposals() {
  return { state: 'waiting' as const, expiresAt: { $gt: new Date() } }
}

/** The state that members see: once approved, it counts as sent. */
export function shownState({ state, expiresAt }: Proposal): 'waiting' | 'sent' | 'declined' | 'expired' {
  if (state === 'waiting' && expiresAt <= new Date()) return 'expired'
  return state === 'approved' ? 'sent' : state
}

export function newProposal({ guardMark }: Pick<Membership, 'guardMark'>) {
  const now = Date.now()
  return {
    ...(guardMark !== undefined && { guardMark }),
    state: 'waiting' as const,
    createdAt: new Date(now),
    expiresAt: new Date(now + LIFETIME_MS),
  }
}

/** Counts a proposal once, however often its request is repeated. @throws StatusError RESOURCE_EXHAUSTED */
export async function spendProposalLimit(
  limits: ReturnType<typeof mailLimitModel>,
  { _id, workspaceId, idempotencyKey = _id }: Proposal,
): Promise<void> {
  const refusal = 'Assistants of this family proposed too much today. Nothing was stored.'
  const windows = [{ most: MOST_PER_DAY, ms: DAY_MS }]
  const limit: RateLimit = { _id: proposalLimitId(workspaceId), windows, refusal }
  // Hashed, because counts outlive a person who leaves.
  await spendRateLimits(limits, [limit], createHash('sha256').update(idempotencyKey).digest('hex'))
}

export function proposalLimitId(workspaceId: string): string {
  return `proposals/${workspaceId}`
}
