import { StatusError } from '@family-inbox/service-kit/status-error'
import type { Context } from '../../context.ts'
import { toFieldErrors } from '../../form-errors.ts'
import type { HouseholdHandler } from '../../household.ts'
import { messageMissing, messageReply } from '../../inbox/message-reply.ts'
import type { FieldErrors } from '../../parts/field.ts'
import { durationOf } from '../../parts/moment.ts'
import { asPerson } from '../../session.ts'

/** Sends a reply. The form's own key makes it one reply, however often the form is sent. */
export function replyToMessage(ctx: Context): HouseholdHandler {
  return async (visit, household) => {
    const lovedOneId = visit.param('lovedOneId').slice(0, 128)
    const messageId = visit.param('messageId').slice(0, 128)
    const body = visit.field('body').slice(0, 25_000)
    const idempotencyKey = visit.field('key').slice(0, 100)
    try {
      const request = { lovedOneId, messageId, body, idempotencyKey: idempotencyKey && `form:${idempotencyKey}` }
      await ctx.inbox.replyToMessage(request, asPerson(household.session, visit))
      return { redirectTo: `/inbox/${lovedOneId}/${messageId}#family`, notice: 'reply-sent' }
    } catch (error) {
      if (error instanceof StatusError && error.status === 'NOT_FOUND') return messageMissing(household)
      // The same form once more with other words: they are kept, and sent under a key of their own.
      if (error instanceof StatusError && error.detail.field === 'idempotencyKey')
        return messageReply(ctx, visit, household, { body, idempotencyKey: crypto.randomUUID(), errors: SENT_BEFORE })
      const errors = notNow(error) ?? toFieldErrors(error, WORDS)
      return messageReply(ctx, visit, household, { body, idempotencyKey, errors })
    }
  }
}

/** A limit, or an address that no mail goes to: said at the text, which is kept. */
function notNow(error: unknown): FieldErrors | undefined {
  if (!(error instanceof StatusError)) return undefined
  if (error.status !== 'RESOURCE_EXHAUSTED' && error.status !== 'FAILED_PRECONDITION') return undefined
  const { retryAfterSec } = error.detail
  return { body: retryAfterSec ? `${error.message} Try again in ${durationOf(retryAfterSec)}.` : error.message }
}

const WORDS = { body: 'Type your reply, up to 20,000 characters' }
const SENT_BEFORE = {
  body: 'A reply was sent from this form already. If you want to send this one too, send it again.',
}
