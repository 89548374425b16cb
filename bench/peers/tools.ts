import { CredentialKind, Outcome } from '@family-inbox/proto/auth/v1/auth'
import { newId } from '@family-inbox/service-kit/ids/ids'
import { cutPage } from '@family-inbox/service-kit/rpc/page'
import type { KeyOwner, ListedMessage, Store } from './store.ts'

export type ToolAnswer = { data: Record<string, unknown> } | { refusal: string }

/** list_inbox_messages, with all queries in parallel, as in our service. */
export async function listInboxMessages(
  store: Store,
  owner: KeyOwner,
  { lovedOneId, limit }: { lovedOneId: string; limit: number },
): Promise<ToolAnswer> {
  const [isMember, isOurs, rows] = await Promise.all([
    store.isMember(owner),
    store.ownsLovedOne(owner, lovedOneId),
    store.listMessages(owner, lovedOneId, limit),
  ])
  if (!isMember) return { refusal: 'You are not a member of this workspace.' }
  if (!isOurs) return { refusal: 'There is no loved one with this lovedOneId in your workspace.' }
  const { page, nextPageToken } = cutPage(rows, limit, (row) => row.receivedAt)
  return { data: { messages: page.map(shownMessage), ...(nextPageToken !== '' && { nextCursor: nextPageToken }) } }
}

export async function ping(store: Store, owner: KeyOwner): Promise<ToolAnswer> {
  if (!(await store.isMember(owner))) return { refusal: 'You are not a member of this workspace.' }
  return { data: { callerId: owner.personId, tenant: owner.workspaceId, authMethod: 'key' } }
}

export function recordCall(store: Store, owner: KeyOwner, tool: string, started: number, answer: ToolAnswer) {
  const durationMs = performance.now() - started
  return store.recordCall({
    _id: newId('call'),
    personId: owner.personId,
    workspaceId: owner.workspaceId,
    credentialId: owner._id,
    kind: CredentialKind.TOOL_KEY,
    tool,
    startedAt: new Date(Date.now() - durationMs),
    durationUs: Math.round(durationMs * 1000),
    outcome: 'data' in answer ? Outcome.OK : Outcome.REFUSED,
  })
}

function shownMessage(row: ListedMessage) {
  return {
    id: row._id.slice(row._id.lastIndexOf('/') + 1),
    subject: row.subject,
    sender: mailboxText(row.from),
    ...(row.originalSender !== undefined && { originalSender: mailboxText(row.originalSender) }),
    category: row.category,
    preview: row.preview,
    receivedAt: row.receivedAt.toISOString(),
    attachmentCount: row.attachmentCount,
  }
}

function mailboxText({ name, address }: { name: string; address: string }): string {
  return name === '' ? address : `${name} <${address}>`
}
