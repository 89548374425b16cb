import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import type { Context } from '../context.ts'
import { messageIdsOf } from '../shell/inbox-paths.ts'
import { asPerson, findSession, type Session } from '../shell/session.ts'
import type { Reply, Visit, VisitHandler } from '../shell/visit.ts'
import { backToMessage } from './mail-list.ts'
import { quoteOf } from './quote.ts'
import { readReplyForm, toServiceKey } from './reply.ts'
import { createSaveLimit } from './save-limit.ts'
import { isFromAnother, unsentReply } from './unsent-reply.ts'

/**
 * Keeps an unsent reply, for its writer only. Saves as someone types have a limit of their own: they must not use up the
 * one for forms, which sending needs.
 */
export function saveDraft(ctx: Context): VisitHandler {
  const limit = createSaveLimit()
  return async (visit) => {
    const session = await findSession(ctx, visit, false)
    const isTyping = visit.field('typing') !== ''
    if (session === undefined || isFromAnother(visit, session)) {
      if (isTyping) throw new StatusError('PERMISSION_DENIED', 'Sign in as the person who wrote this.')
      return unsentReply(session ? 'someone-else' : 'signed-out', visit)
    }
    limit.spend(session.personId)
    await keep(ctx, visit, session)
    const removed = visit.field('remove').slice(0, 64)
    if (removed !== '') await ctx.inbox.removeReplyAttachment({ attachmentId: removed }, asPerson(session, visit))
    if (isTyping) return { status: 204, headers: {}, body: '' }
    return backToComposer(visit)
  }
}

async function keep(ctx: Context, visit: Visit, session: Session): Promise<void> {
  const { body, cc, idempotencyKey } = readReplyForm(visit)
  const ids = messageIdsOf(visit)
  const person = asPerson(session, visit)
  const opened =
    visit.field('include') === 'original' && (await ctx.inbox.openMessage({ ...ids, markRead: false }, person))
  const draft = {
    ...ids,
    body: opened ? `${body.trimEnd()}\n\n${quoteOf(opened, visit.clock)}` : body,
    cc,
    idempotencyKey: toServiceKey(idempotencyKey),
  }
  await ctx.inbox.saveDraft(draft, person)
}

function backToComposer(visit: Visit): Reply {
  const redirectTo = backToMessage(visit, 'reply')
  if (visit.files.problem !== undefined) return { redirectTo, flash: 'file-not-added' }
  return visit.field('include') === '' ? { redirectTo, flash: 'draft-saved' } : { redirectTo }
}
