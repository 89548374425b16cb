import type { MailDraft, SaveMailDraftRequest, SaveMailDraftResponse } from '@family-inbox/proto/inbox/v1/inbox'
import type { Call, Handler } from '@family-inbox/service-kit/rpc/call'
import { invalidArgument } from '@family-inbox/service-kit/rpc/status-error'
import { requirePerson } from '@family-inbox/workspace-kit/assistants'
import type { Context } from '../context.ts'
import type { Draft } from '../models/draft.ts'
import { newMailRowId } from '../models/draft.ts'
import { messageNotFound, messageRowId } from '../models/message.ts'
import { idOf, keepDraft, requireDraft, typedLine } from '../replying/drafts.ts'
import { removeDraftFiles } from '../replying/remove-reply-files.ts'

/** Keeps the caller's unsent forward or new message, valid or not. Owner and coordinators only. */
export function saveMailDraft(ctx: Context): Handler<SaveMailDraftRequest, SaveMailDraftResponse> {
  return async ({ draft: written, idempotencyKey, discard }, call) => {
    const owner = await requireOwner(ctx, call, written)
    if (written === undefined) throw invalidArgument('draft', 'draft is required.')
    const draft = { ...owner, ...contentOf(written) }
    const _id = idOf(draft)
    if (discard || isEmpty(draft)) {
      await ctx.drafts.deleteOne({ _id })
      if (discard && draft.kind === 'opening') await removeDraftFiles(ctx, draft)
      return {}
    }
    await keepDraft(ctx, draft)
    // As in save-draft.ts: sending stores first, and then deletes the draft.
    if ((await ctx.replies.exists({ workspaceId: draft.workspaceId, idempotencyKey })) !== null)
      await ctx.drafts.deleteOne({ _id })
    return {}
  }
}

/** Owner and coordinators, and of a message only where they may read it. */
async function requireOwner(ctx: Context, call: Call, { messageId = '', lovedOneId = '' }: Partial<MailDraft> = {}) {
  const rule = { write: true, ...(messageId !== '' && { lovedOneId }) }
  const { workspaceId, personId } = await ctx.requireMember(call, rule)
  requirePerson(call)
  const place = placeOf(workspaceId, { messageId, lovedOneId })
  if (place.kind === 'forward' && (await ctx.messages.exists({ _id: place.messageRowId })) === null)
    throw messageNotFound()
  return { workspaceId, personId, ...place }
}

function placeOf(
  workspaceId: string,
  { lovedOneId, messageId }: Pick<MailDraft, 'lovedOneId' | 'messageId'>,
): Pick<Draft, 'messageRowId'> & {
  kind: NonNullable<Draft['kind']>
} {
  if (messageId === '') return { kind: 'opening', messageRowId: newMailRowId(workspaceId) }
  return { kind: 'forward', messageRowId: messageRowId({ workspaceId, lovedOneId }, messageId) }
}

function contentOf({ lovedOneId, to, cc, subject, body, parts }: MailDraft) {
  return {
    lovedOneId: typedLine(lovedOneId).slice(0, 64),
    to: typedLine(to),
    cc: typedLine(cc),
    subject: typedLine(subject),
    body: requireDraft(body),
    ...(parts && { parts: { files: parts.files, original: parts.original } }),
  }
}

function isEmpty({ to, cc, subject, body }: ReturnType<typeof contentOf>): boolean {
  return [to, cc, subject, body].every((text) => text === '')
}
