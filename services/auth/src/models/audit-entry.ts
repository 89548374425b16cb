import { type ActDetail, CredentialKind, type MessageRef, Outcome } from '@family-inbox/proto/auth/v1/auth'
import { type Membership, Role } from '@family-inbox/proto/carecircle/v1/care_circle'
import { expiresAfter } from '@family-inbox/service-kit/mongo/mongo'
import { rowSchema } from '@family-inbox/workspace-kit/row-schema'
import type { Connection, PipelineStage } from 'mongoose'

/**
 * A recorded tool call, or what a person did on our pages, shown as "activity". Keeps no arguments and results but the ids of what was
 * found, and of a person's act one word.
 */
export type AuditEntry = {
  _id: string
  personId: string
  workspaceId: string
  credentialId: string
  kind: CredentialKind
  tool: string
  startedAt: Date
  durationUs: number
  outcome: Outcome
  message?: MessageRef | undefined
  detail?: ActDetail | undefined
}

/** The definition of an existing index cannot change, so later outcomes that refuse nothing stay out. */
const NOT_REFUSED: Outcome[] = [Outcome.OK, Outcome.APPROVAL_ASKED]
const NOT_OK = Object.values(Outcome).filter((outcome) => !NOT_REFUSED.includes(outcome))

const schema = rowSchema<AuditEntry>(
  'audit_entries',
  {
    _id: String,
    personId: String,
    workspaceId: String,
    credentialId: String,
    kind: String,
    tool: String,
    startedAt: Date,
    durationUs: Number,
    outcome: String,
    message: { messageId: String, lovedOneId: String },
    detail: { personId: String, lovedOneId: String, word: String },
  },
  { workspaceId: 'field', personId: 'kept' },
  { shardKey: { workspaceId: 1 } },
)
schema.index({ workspaceId: 1, startedAt: -1, _id: -1 })
/** People act more often than assistants call, and each list shows one of them. */
schema.index({ workspaceId: 1, kind: 1, startedAt: -1, _id: -1 })
/** Finds calls about a message. Ends with the person, so that a member's own entries are found in the index alone. */
schema.index(
  { workspaceId: 1, 'message.messageId': 1, startedAt: -1, _id: -1, personId: 1 },
  { partialFilterExpression: { 'message.messageId': { $exists: true } } },
)
/** Refusals are rare, and are what people look for. */
schema.index({ workspaceId: 1, outcome: 1, startedAt: -1 }, { partialFilterExpression: { outcome: { $in: NOT_OK } } })

const BY_PEOPLE = { kind: CredentialKind.PERSON }
/** Named one by one, so that an index finds them in order. */
export const BY_ASSISTANTS = {
  kind: { $in: [CredentialKind.TOOL_KEY, CredentialKind.SESSION, CredentialKind.ACCESS_TOKEN] },
}

export function auditEntryModel(connection: Connection, keptDays: number) {
  return connection.model('AuditEntry', schema.clone().index({ startedAt: 1 }, expiresAfter(keptDays)))
}

const KIND = ['personId', 'credentialId', 'kind', 'tool', 'outcome']
/** Calls about the same message count once. */
const MESSAGES = { $cond: [{ $gt: ['$_id.messageId', null] }, 1, '$calls'] }

/** Stages of an aggregation that count calls as `AuditCount`, by who made them and how they ended, and by a field of an earlier stage. */
export function countCallsBy(...fields: string[]): PipelineStage[] {
  const by = [...fields, ...KIND]
  return [
    { $group: { _id: fieldsOf('$', [...by, 'message.messageId']), calls: { $sum: 1 } } },
    { $group: { _id: fieldsOf('$_id.', by), calls: { $sum: '$calls' }, messages: { $sum: MESSAGES } } },
    { $sort: { _id: 1 } },
    { $replaceWith: { $mergeObjects: ['$_id', { calls: '$calls', messages: '$messages' }] } },
  ]
}

function fieldsOf(from: string, paths: string[]) {
  return Object.fromEntries(paths.map((path) => [path.split('.').at(-1), `${from}${path}`]))
}

/** The reader's own, or everyone's for the owner: what assistants called, or what people did. */
export function visibleEntries({ workspaceId, personId, role }: Membership, { people }: { people: boolean }) {
  return { workspaceId, ...(role !== Role.OWNER && { personId }), ...(people ? BY_PEOPLE : BY_ASSISTANTS) }
}
