import type { MessageSummary, Note, RelatedMessage } from '@family-inbox/proto/inbox/v1/inbox'
import { BODY_CHARACTERS } from '@family-inbox/workspace-kit/tool-catalogue'
import { z } from 'zod'
import { lovedOneId, messageId } from '../fields/fields.ts'
import { checkName, MESSAGE_FIELDS_OF_SENDERS, messageFields, toMessageFields } from '../fields/message-fields.ts'
import { toProposalFields } from '../fields/proposal-fields.ts'
import { formatMailbox } from '../fields/wire-names.ts'
import { defineTool } from './tool.ts'

/** `filename`, `contentType`, `size` in bytes, `inline`, and `text` if the owner allows it. */
const attachment = z.looseObject({})

/** `proposalId`, `status` and, while it waits, `expiresAt` and `reason`: see proposal-fields.ts. */
const proposal = z.looseObject({})

/** `author`, `text` and `createdAt`. */
const note = z.looseObject({})

/** `id`, `sender`, `receivedAt` and `authenticity`. */
const related = z.looseObject({})

const { preview: _preview, ...fields } = messageFields

export const getInboxMessage = defineTool({
  hasCard: true,
  description: `Open one message and read its whole text, up to ${BODY_CHARACTERS} characters, what it adds to the quoted text, names and sizes of attachments, its conversation, the family’s notes, and what became of proposed replies.`,
  untrusted: [
    ...MESSAGE_FIELDS_OF_SENDERS.filter((field) => field !== 'preview'),
    'body',
    'newText?',
    'conversation[].sender',
    'attachments[].filename',
    'attachments[].contentType',
    'attachments[].text?',
  ],
  input: z.strictObject({ messageId, lovedOneId }),
  output: z.strictObject({
    ...fields,
    authenticity: z.string(),
    lovedOneId: z.string(),
    body: z.string().max(BODY_CHARACTERS),
    bodyTruncated: z.boolean(),
    newText: z.string().optional().describe('The body without what it quotes.'),
    conversation: z.array(related).optional().describe('All its mail, oldest first.'),
    attachments: z.array(attachment),
    proposals: z.array(proposal).optional(),
    notes: z.array(note).optional().describe('The family’s own words.'),
    notesWithheld: z.boolean().optional().describe('Unproven senders could ask for them.'),
  }),
  async call({ messageId, lovedOneId }, { ctx, on, recordMessage }) {
    const answer = await ctx.inbox.getInboxMessage({ messageId, lovedOneId }, on)
    recordMessage({ messageId, lovedOneId })
    const { preview: _, ...message } = toMessageFields(answer.message as MessageSummary)
    return {
      ...message,
      lovedOneId,
      body: answer.body,
      bodyTruncated: answer.bodyTruncated,
      ...(answer.newText !== undefined && { newText: answer.newText }),
      ...(answer.conversation.length > 0 && { conversation: answer.conversation.map(toRelated) }),
      attachments: answer.attachments.map(({ filename, contentType, size, inline, text }) => ({
        filename,
        contentType,
        size,
        inline,
        ...(text !== undefined && { text }),
      })),
      ...(answer.proposals.length > 0 && { proposals: answer.proposals.map(toProposalFields) }),
      ...(answer.notes.length > 0 && { notes: answer.notes.map(toNote) }),
      ...(answer.notesWithheld && { notesWithheld: true }),
    }
  },
})

function toRelated({ id, sender, receivedAt, check }: RelatedMessage) {
  return {
    id,
    sender: formatMailbox(sender),
    receivedAt: receivedAt?.toISOString() ?? '',
    authenticity: checkName[check],
  }
}

function toNote({ name, text, createdAt }: Note) {
  return { author: name, text, createdAt: createdAt?.toISOString() ?? '' }
}
