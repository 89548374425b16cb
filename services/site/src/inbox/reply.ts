import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import type { Context } from '../context.ts'
import { type FieldErrors, toFieldErrors } from '../shell/field.ts'
import { durationOf } from '../shell/moment.ts'
import { asPerson } from '../shell/session.ts'
import type { WorkspaceHandler } from '../shell/workspace.ts'
import { messageMissing, messageReply } from './message.ts'

const FIELD_ERRORS = { body: 'Enter your reply, up to 20,000 characters' }
const ALREADY_SENT = { body: 'You already sent a reply from this form. To send this one too, press Send reply again.' }

/** Sends a reply, once per form. */
export function replyToMessage(ctx: Context): WorkspaceHandler {
  return async (visit, workspace) => {
    const lovedOneId = visit.param('lovedOneId').slice(0, 128)
    const messageId = visit.param('messageId').slice(0, 128)
    const body = visit.field('body').slice(0, 25_000)
    const idempotencyKey = visit.field('key').slice(0, 100)
    try {
      const request = { lovedOneId, messageId, body, idempotencyKey: idempotencyKey && `form:${idempotencyKey}` }
      await ctx.inbox.replyToMessage(request, asPerson(workspace.session, visit))
      return { redirectTo: `/inbox/${lovedOneId}/${messageId}#family`, flash: 'reply-sent' }
    } catch (error) {
      if (error instanceof StatusError && error.status === 'NOT_FOUND') return messageMissing(workspace)
      // Same form, other text: offer to send it under a new key.
      if (error instanceof StatusError && error.detail.field === 'idempotencyKey')
        return messageReply(ctx, visit, workspace, { body, idempotencyKey: crypto.randomUUID(), errors: ALREADY_SENT })
      const errors = explainLimit(error) ?? toFieldErrors(error, FIELD_ERRORS)
      return messageReply(ctx, visit, workspace, { body, idempotencyKey, errors })
    }
  }
}

/** A rate limit, or an address we may not send to. Shown at the text, which the form keeps. */
function explainLimit(error: unknown): FieldErrors | undefined {
  if (!(error instanceof StatusError)) return undefined
  if (error.status !== 'RESOURCE_EXHAUSTED' && error.status !== 'FAILED_PRECONDITION') return undefined
  const { retryAfterSec } = error.detail
  return { body: retryAfterSec ? `${error.message} Try again in ${durationOf(retryAfterSec)}.` : error.message }
}
