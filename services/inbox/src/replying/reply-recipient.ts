import { quotesAnother } from '@family-inbox/mail-reader/authenticity/sender-of'
import { forwardPrefix } from '@family-inbox/mail-reader/mime/subject-prefix'
import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import type { Context } from '../context.ts'
import type { FindRole } from '../find-role.ts'
import { type Message, messageRowId } from '../models/message.ts'
import { RECIPIENT_FIELDS, type Recipients } from '../models/reply-to.ts'

export type RepliedMessage = Pick<
  Message,
  '_id' | 'lovedOneId' | 'proposed' | 'subject' | 'to' | 'forwarded' | keyof typeof RECIPIENT_FIELDS
>

/** Without a loved one, searches all inboxes of the workspace. NOT_FOUND is the same for another workspace’s id. */
export async function findRepliedMessage(
  ctx: Context,
  workspaceId: string,
  { messageId, lovedOneId }: { messageId: string; lovedOneId: string },
): Promise<RepliedMessage> {
  const lovedOneIds =
    lovedOneId === '' ? await ctx.inboxAddresses.distinct('lovedOneId', { workspaceId }) : [lovedOneId]
  const ids = lovedOneIds.map((id) => messageRowId({ workspaceId, lovedOneId: id }, messageId))
  const row = await ctx.messages
    .findOne(
      { _id: { $in: ids } },
      { lovedOneId: 1, proposed: 1, subject: 1, to: 1, forwarded: 1, ...RECIPIENT_FIELDS },
    )
    .lean<RepliedMessage | null>()
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

/** Whether a reply to a forwarded mail would go to somebody of the family: most likely its author was not found. */
export async function leadsToMember(
  { findRole }: Pick<Context, 'findRole'>,
  workspaceId: string,
  { forwarded, subject, from, originalSender }: Pick<Message, 'forwarded' | 'subject' | 'from' | 'originalSender'>,
  to: string,
): Promise<boolean> {
  if (to === '' || !(forwarded ?? forwardPrefix(subject) !== '')) return false
  // Without an author, a member's Reply-To is theirs, too.
  const addresses = new Set([to, ...(originalSender ? [] : [from.address.toLowerCase()])])
  return (await findRole(workspaceId, ...addresses)) !== undefined
}
