import { toMessageFields } from '@family-inbox/gateway/mcp/family/fields/message-fields'
import { toSummary } from '@family-inbox/inbox/finding/to-summary'
import { CredentialKind, Outcome } from '@family-inbox/proto/auth/v1/auth'
import { newId } from '@family-inbox/service-kit/ids/ids'
import { cutPage } from '@family-inbox/service-kit/rpc/page'
import { cut } from '@family-inbox/service-kit/text/cut'
import { BODY_CHARACTERS } from '@family-inbox/workspace-kit/tool-catalogue'
import type { KeyOwner, Store } from './store.ts'

const OWN = { mailDomain: 'family-inbox.test', senderAddress: 'care@family-inbox.test' }

export type ToolAnswer = { data: Record<string, unknown> } | { refusal: string }

/** list_inbox_messages, with as many queries as possible in parallel and the answer built by the same functions as in our services. */
export async function listInboxMessages(
  store: Store,
  owner: KeyOwner,
  { lovedOneId, limit }: { lovedOneId: string; limit: number },
): Promise<ToolAnswer> {
  const [isMember, isOurs, data] = await Promise.all([
    store.isMember(owner),
    store.ownsLovedOne(owner, lovedOneId),
    readPage(store, owner, lovedOneId, limit),
  ])
  if (!isMember) return { refusal: 'You are not a member of this workspace.' }
  if (!isOurs) return { refusal: 'There is no loved one with this lovedOneId in your workspace.' }
  return { data }
}

async function readPage(store: Store, owner: KeyOwner, lovedOneId: string, limit: number) {
  const rows = await store.listMessages(owner, lovedOneId, limit)
  const { page, nextPageToken } = cutPage(rows, limit, (row) => row.receivedAt)
  const states = await store.findStates(owner, lovedOneId, page)
  return {
    messages: page.map((row, index) => toMessageFields(toSummary(row, OWN, states[index]))),
    ...(nextPageToken !== '' && { nextCursor: nextPageToken }),
  }
}

export async function getInboxMessage(
  store: Store,
  owner: KeyOwner,
  asked: { messageId: string; lovedOneId: string },
): Promise<ToolAnswer> {
  const [isMember, isOurs, row] = await Promise.all([
    store.isMember(owner),
    store.ownsLovedOne(owner, asked.lovedOneId),
    store.readMessage(owner, asked),
  ])
  if (!isMember) return { refusal: 'You are not a member of this workspace.' }
  if (!isOurs || row === null) return { refusal: 'There is no message with this messageId in the inbox.' }
  const [[state], others] = await Promise.all([
    store.findStates(owner, asked.lovedOneId, [row]),
    store.countConversation(owner, asked.lovedOneId, row),
  ])
  if (others > 1) throw new Error(`${asked.messageId} is in a conversation: choose another message`)
  const { preview: _, ...fields } = toMessageFields(toSummary(row, OWN, state))
  const body = cut(row.text, BODY_CHARACTERS)
  const bodyTruncated = row.truncated || body.length < row.text.length
  const attachments = row.attachments.map(({ filename, contentType, size, inline }) => ({
    filename,
    contentType,
    size,
    inline,
  }))
  return { data: { ...fields, lovedOneId: asked.lovedOneId, body, bodyTruncated, attachments } }
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
