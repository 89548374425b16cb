import { quotesAnother } from '@family-inbox/mail-reader/authenticity/sender-of'
import type { Mailbox } from '@family-inbox/mail-reader/mime/message-fields'
import { forwardPrefix } from '@family-inbox/mail-reader/mime/subject-prefix'
import type { ParsedMessage } from '@family-inbox/mail-reader/parsed-message'
import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import { requireEmail } from '@family-inbox/service-kit/text/text-rules'
import { LRUCache } from 'lru-cache'
import type { Context } from '../context.ts'
import type { FindRole } from '../find-role.ts'
import { isOwnAddress, type OwnAddresses } from '../models/inbox-address.ts'
import { type Message, messageRowId } from '../models/message.ts'

export const RECIPIENT_FIELDS = {
  from: 1,
  replyTo: 1,
  originalSender: 1,
  originalReplyTo: 1,
  fromMember: 1,
  authenticity: 1,
} as const

export type RepliedRow = Pick<
  Message,
  '_id' | 'lovedOneId' | 'proposed' | 'subject' | 'to' | 'forwarded' | keyof typeof RECIPIENT_FIELDS
>

/** Without a loved one, searches all inboxes of the workspace. NOT_FOUND is the same for another workspace’s id. */
export async function findRepliedMessage(
  ctx: Context,
  workspaceId: string,
  { messageId, lovedOneId }: { messageId: string; lovedOneId: string },
): Promise<RepliedRow> {
  const lovedOneIds =
    lovedOneId === '' ? await ctx.inboxAddresses.distinct('lovedOneId', { workspaceId }) : [lovedOneId]
  const ids = lovedOneIds.map((id) => messageRowId({ workspaceId, lovedOneId: id }, messageId))
  const row = await ctx.messages
    .findOne(
      { _id: { $in: ids } },
      { lovedOneId: 1, proposed: 1, subject: 1, to: 1, forwarded: 1, ...RECIPIENT_FIELDS },
    )
    .lean<RepliedRow | null>()
  if (row !== null) return withMembership(ctx, workspaceId, row)
  throw new StatusError('NOT_FOUND', 'No message with this messageId in your family’s inboxes.', {
    field: 'messageId',
  })
}

/** Looks up what the check of the mail will store, or what an older version did not. */
export async function withMembership<Row extends Recipients>(
  { findRole }: Pick<Context, 'findRole'>,
  workspaceId: string,
  row: Row,
): Promise<Row> {
  if (row.fromMember !== undefined || !quotesAnother(row)) return row
  return { ...row, fromMember: (await findRole(workspaceId, row.from.address.toLowerCase())) !== undefined }
}

/** For a list: only of mail that is not checked yet, which is seldom more than the newest. */
export function withMemberships<Row extends Recipients>(
  { findRole }: Pick<Context, 'findRole'>,
  workspaceId: string,
  rows: Row[],
): Promise<Row[]> {
  const roles = new Map<string, ReturnType<FindRole>>()
  const once: FindRole = (workspace, email) => {
    const asked = roles.get(email) ?? findRole(workspace, email)
    roles.set(email, asked)
    return asked
  }
  return Promise.all(
    rows.map((row) => (row.authenticity === undefined ? withMembership({ findRole: once }, workspaceId, row) : row)),
  )
}

/** Whether a forwarded mail would be answered to somebody of the family: most likely its author was not found. */
export async function leadsToMember(
  { findRole }: Pick<Context, 'findRole'>,
  workspaceId: string,
  { forwarded, subject, from, originalSender }: Pick<Message, 'forwarded' | 'subject' | 'from' | 'originalSender'>,
  to: string,
): Promise<boolean> {
  if (to === '' || !(forwarded ?? forwardPrefix(subject) !== '')) return false
  // Without an author, a member's Reply-To is theirs, too.
  const addresses = new Set([to, ...(originalSender ? [] : [from.address.toLowerCase()])])
  const roles = await Promise.all([...addresses].map((address) => findRole(workspaceId, address)))
  return roles.some((role) => role !== undefined)
}

/** The same people write again and again, and checking their addresses is a third of the work of a summary. */
const mailable = new LRUCache<string, string>({
  max: 1000,
  maxSize: 100_000,
  sizeCalculation: (_, written) => written.length,
})

type Recipients = Pick<Message, keyof typeof RECIPIENT_FIELDS>

/** The address a reply would go to; undefined if mail cannot go there. */
export function resolveReplyTo(message: Recipients, own: OwnAddresses): string | undefined {
  const written = replyMailbox(message, own)?.address ?? ''
  const known = mailable.get(written)
  if (known !== undefined) return known
  try {
    const email = requireEmail('messageId', written)
    mailable.set(written, email)
    return email
  } catch {
    return undefined
  }
}

/** @throws StatusError FAILED_PRECONDITION saying why nobody can be replied to */
export function requireReplyTo(message: Recipients, own: OwnAddresses): string {
  const to = resolveReplyTo(message, own)
  if (to !== undefined) return to
  throw new StatusError('FAILED_PRECONDITION', explainNoRecipient(message, own))
}

/** For a message without an address that a reply could go to. */
export function explainNoRecipient(message: Recipients, own: OwnAddresses): string {
  const leadsBack = replyMailbox(message, own) === undefined && candidates(message).length > 0
  return leadsBack
    ? 'This message can’t be answered by email: its only address is one of this service’s own. Call them instead.'
    : 'This message has no address to reply to.'
}

/** The first that does not lead back here: such a reply would be lost, or go in circles. */
export function replyMailbox(message: Recipients, own: OwnAddresses): Mailbox | undefined {
  return candidates(message).find(({ address }) => !isOwnAddress(own, address))
}

/**
 * The author before the member who forwarded it, and a Reply-To before who wrote it (RFC 5322 3.6.2). In mail that names no member
 * as its sender, what looks like a forward may be a quote or forged, and redirects nothing. An older version did not store that.
 */
function candidates(message: Recipients): Mailbox[] {
  const { from, replyTo, originalSender, originalReplyTo, authenticity } = message
  const { fromMember = authenticity !== undefined } = message
  const original = originalSender && fromMember ? [...listed(originalReplyTo), originalSender] : []
  return [...original, ...listed(replyTo), from].filter(({ address }) => address !== '')
}

function listed(replyTo: ParsedMessage['replyTo']): Mailbox[] {
  return replyTo ? [replyTo, ...(replyTo.others ?? [])] : []
}
