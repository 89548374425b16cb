import { Role } from '@family-inbox/proto/carecircle/v1/care_circle'
import { DeliveryState, type SentReply } from '@family-inbox/proto/inbox/v1/inbox'
import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import type { Context } from '../context.ts'
import { type Html, html } from '../shell/html.ts'
import { asPerson } from '../shell/session.ts'
import { undefinedIfMissing, type Workspace, type WorkspaceHandler } from '../shell/workspace.ts'
import { backToMessage } from './mail-list.ts'

/** Takes a sent reply out of the conversation. */
export function deleteReply(ctx: Context): WorkspaceHandler {
  return async (visit, workspace) => {
    const redirectTo = backToMessage(visit, 'family')
    try {
      const request = { replyId: visit.field('reply').slice(0, 128) }
      // Deleted already is as good.
      await ctx.inbox.deleteReply(request, asPerson(workspace.session, visit)).catch(undefinedIfMissing)
      return { redirectTo, flash: 'reply-deleted' }
    } catch (error) {
      if (!(error instanceof StatusError) || error.status !== 'FAILED_PRECONDITION') throw error
      return { redirectTo, flash: 'reply-not-deleted' }
    }
  }
}

export function restoreReply(ctx: Context): WorkspaceHandler {
  return async (visit, workspace) => {
    const request = { replyId: visit.field('reply').slice(0, 128) }
    const restored = await ctx.inbox.restoreReply(request, asPerson(workspace.session, visit)).catch(undefinedIfMissing)
    return { redirectTo: backToMessage(visit, 'family'), flash: restored ? 'reply-restored' : undefined }
  }
}

/** Asks first. Nothing for what may still leave, and for a new message, which is deleted as a message. */
export function deleteForm(reply: SentReply, path: string, { canWrite, role, session }: Workspace): Html | undefined {
  const isAllowed = canWrite && (reply.personId === session.personId || role === Role.OWNER)
  const deliveries = [reply.delivery, ...reply.copies.map(({ delivery }) => delivery)]
  if (!isAllowed || reply.opening || deliveries.includes(DeliveryState.QUEUED)) return undefined
  return html`<details class="linked"><summary>Delete<span class="unseen"> what <bdi>${reply.name}</bdi> sent</span></summary>
<p class="hint">This deletes it here, for everyone in your care circle. It doesn’t call back what was sent: whoever got it keeps it.</p>
<form method="post" action="${path}"><input type="hidden" name="reply" value="${reply.id}"><button class="danger">Delete it here</button></form></details>`
}

/** For 30 days. */
export function deletedReplies(replies: readonly SentReply[], path: string): Html | undefined {
  if (replies.length === 0) return undefined
  return html`<details class="linked"><summary>${replies.length === 1 ? '1 deleted reply' : `${replies.length} deleted replies`}</summary>
<ol class="turns">${replies.map(
    ({
      id,
      name,
      to,
      body,
    }) => html`<li class="turn ours"><p class="turn-head"><strong><bdi>${name}</bdi></strong> to <bdi>${to}</bdi></p>
<div class="body" dir="auto">${body}</div>
<form method="post" action="${path}"><input type="hidden" name="reply" value="${id}"><button class="quiet">Put back<span class="unseen"> what <bdi>${name}</bdi> sent</span></button></form></li>`,
  )}</ol></details>`
}
