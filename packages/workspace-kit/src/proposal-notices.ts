import { type NatsConnection, RetentionPolicy, StorageType } from '@family-inbox/service-kit/nats/client'
import { ensureStream } from '@family-inbox/service-kit/nats/nats'

// care-circle keeps the invitations that wait for a member, inbox mails the members. A notice holds the workspace's id alone.

export const PROPOSAL_STREAM = 'PROPOSALS'
export const PROPOSAL_SUBJECT = 'proposals.invitation'
export const PROPOSAL_CONSUMER = 'inbox-proposals'

export async function ensureProposalStream(connection: NatsConnection, replicas: number): Promise<void> {
  await ensureStream(connection, {
    name: PROPOSAL_STREAM,
    subjects: [PROPOSAL_SUBJECT],
    retention: RetentionPolicy.Workqueue,
    storage: StorageType.File,
    num_replicas: replicas,
  })
}
