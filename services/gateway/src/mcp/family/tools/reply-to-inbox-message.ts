import { ProposalState } from '@family-inbox/proto/inbox/v1/inbox'
import { z } from 'zod'
import { expectedTo, idempotencyKey, lovedOneId, messageId, text, time } from '../fields/fields.ts'
import { toProposalFields } from '../fields/proposal-fields.ts'
import { defineTool, type ToolCall } from './tool.ts'

export const replyToInboxMessage = defineTool({
  description:
    'Write back to the sender of a message: sends a plain-text answer in the name of the person you act for. Viewers cannot reply. A repeated call returns the status of what waits for the family’s approval.',
  hasCard: true,
  reachesOutside: true,
  proposes: true,
  input: z.strictObject({
    messageId,
    lovedOneId: lovedOneId.optional(),
    body: text('body', 20_000, 'The text: at most 20,000 characters.'),
    expectedTo,
    idempotencyKey,
  }),
  /** Also `expiresAt`, `reason` and `toVerified` of what waits. */
  output: z.looseObject({
    replyId: z.string().optional(),
    to: z.string(),
    status: z.string(),
    queuedAt: time.optional(),
    proposalId: z.string().optional(),
  }),
  async confirmation(input, call) {
    const { to, toMember = false } = await findRecipient(input, call)
    const warning = toMember
      ? `The author of the forwarded message was not found. ${to} is a member of the family.\n\n`
      : ''
    return { question: `${warning}Send this reply to ${to}?\n\n${input.body}`, input: { ...input, expectedTo: to } }
  },
  async call({ messageId, lovedOneId = '', body, expectedTo = '', idempotencyKey = '' }, call) {
    const { ctx, caller, on, recordMessage } = call
    const {
      replyId,
      to,
      queuedAt,
      proposal,
      toVerified,
      lovedOneId: foundIn,
    } = await ctx.inbox.replyToMessage(
      { messageId, lovedOneId, body, expectedTo, idempotencyKey, assistant: caller.credentialName },
      on,
    )
    const isWaiting = proposal?.state === ProposalState.WAITING
    const isDone = replyId !== '' || isWaiting
    if (foundIn !== undefined && isDone) recordMessage({ messageId, lovedOneId: foundIn })
    return {
      ...(replyId !== '' && { replyId }),
      to,
      ...(proposal === undefined ? { status: 'queued' } : toProposalFields(proposal)),
      ...(isWaiting && { toVerified }),
      ...(replyId !== '' && { queuedAt: queuedAt?.toISOString() ?? '' }),
    }
  },
})

type Replied = { messageId: string; lovedOneId?: string; expectedTo?: string }

function findRecipient({ messageId, lovedOneId = '', expectedTo }: Replied, { ctx, on }: ToolCall) {
  const asked = { messageId, lovedOneId, body: '', expectedTo, idempotencyKey: '', dryRun: true }
  return ctx.inbox.replyToMessage(asked, on)
}
