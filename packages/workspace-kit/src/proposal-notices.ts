import type { NatsConnection } from '@family-inbox/service-kit/nats/client'
import { ensureWorkQueue } from '@family-inbox/service-kit/nats/nats'

// care-circle keeps the invitations that wait for a member, inbox mails the members. A notice holds the workspace's id alone.

export const PROPOSAL_STREAM = 'PROPOSALS'
export const PROPOSAL_SUBJECT = 'proposals.invitation'
export const PROPOSAL_CONSUMER = 'inbox-proposals'

export function ensureProposalStream(connection: NatsConnection, replicas: number): Promise<void> {
  return ensureWorkQueue(connection, { name: PROPOSAL_STREAM, subjects: PROPOSAL_SUBJECT, replicas })
}
