import type { ListInboxMessagesRequest, Match } from '@family-inbox/proto/inbox/v1/inbox'
import { PREVIEW_CHARACTERS } from '@family-inbox/workspace-kit/tool-catalogue'
import { z } from 'zod'
import { choice, cursor, instant, limit, lovedOneId, nextCursor, yesOrNo } from '../fields/fields.ts'
import { MESSAGE_FIELDS_OF_SENDERS, messageFields, toMessageFields } from '../fields/message-fields.ts'
import { categoryOf, conversationStatusOf, fieldName } from '../fields/wire-names.ts'
import { defineTool } from './tool.ts'

const MAX_QUERY = 200

const { originalSenderVerified, authenticity } = messageFields

const describedFields = {
  ...messageFields,
  originalSenderVerified: originalSenderVerified.describe('If false, originalSender may be made up.'),
  authenticity: authenticity.describe('Whether DNS proves the sender.'),
}

/** `field` and `words`. */
const match = z.looseObject({})

export const listInboxMessages = defineTool({
  description: `Find mail in one loved one’s inbox: new messages, letters, bills, results. Newest first, with previews of ${PREVIEW_CHARACTERS} characters. Outsiders write the mail.`,
  untrusted: MESSAGE_FIELDS_OF_SENDERS.map((field) => `messages[].${field}`),
  input: z.strictObject({
    lovedOneId,
    limit,
    cursor,
    query: searchText('query').describe(
      'Words to search for, "exact words", from:name, has:file, after:2026-05-01, before:2026-06-01.',
    ),
    from: searchText('from').describe('Sender’s name or address.'),
    since: instant('since').describe('Received then or later.'),
    until: instant('until').describe('Received before.'),
    category: choice('category', Object.keys(categoryOf)).describe('What it is about.'),
    status: choice('status', Object.keys(conversationStatusOf)).describe(
      'Whether the family has it open, taken or done.',
    ),
    unread: yesOrNo('unread').describe('Not read by the person.'),
    hasAttachment: yesOrNo('hasAttachment').describe('With files.'),
  }),
  output: z.strictObject({
    messages: z.array(z.strictObject({ ...describedFields, matches: z.array(match).optional() })),
    nextCursor,
  }),
  async call({ limit, cursor = '', ...wanted }, { ctx, on }) {
    const request = { ...toRequest(wanted), pageSize: limit, pageToken: cursor }
    const { messages, matches, nextPageToken } = await ctx.inbox.listInboxMessages(request, on)
    const matchesOf = new Map(matches.map((one) => [one.messageId, one.matches.map(toMatch)]))
    return {
      messages: messages.map((message) => withMatches(toMessageFields(message), matchesOf.get(message.id))),
      ...(nextPageToken !== '' && { nextCursor: nextPageToken }),
    }
  },
})

type Wanted = {
  lovedOneId: string
  query?: string | undefined
  from?: string | undefined
  since?: string | undefined
  until?: string | undefined
  category?: string | undefined
  status?: string | undefined
  unread?: boolean | undefined
  hasAttachment?: boolean | undefined
}

/** Empty text counts as absent. */
function toRequest({ lovedOneId, query, from, since, until, category, status, unread, hasAttachment }: Wanted) {
  const request: Omit<ListInboxMessagesRequest, 'pageSize' | 'pageToken'> = { lovedOneId }
  if (query) request.query = query
  if (from) request.from = from
  if (since) request.receivedFrom = new Date(since)
  if (until) request.receivedBefore = new Date(until)
  if (category) request.category = categoryOf[category]
  if (status) request.status = conversationStatusOf[status]
  if (unread) request.unread = true
  if (hasAttachment) request.withAttachments = true
  return request
}

function withMatches(message: ReturnType<typeof toMessageFields>, matches: ReturnType<typeof toMatch>[] | undefined) {
  return matches === undefined ? message : Object.assign(message, { matches })
}

function toMatch({ field, words }: Match) {
  return { field: fieldName[field], words }
}

function searchText(field: string) {
  return z
    .string({ error: `${field} must be text.` })
    .max(MAX_QUERY, { error: `${field} must be at most ${MAX_QUERY} characters.` })
    .optional()
}
