import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import type { Context } from '../context.ts'
import { errorSummary, type FieldErrors, radioField } from '../shell/fields.ts'
import { html } from '../shell/html.ts'
import { messageIdsOf, messagePath } from '../shell/inbox-paths.ts'
import { sectionPage } from '../shell/page.ts'
import { asPerson } from '../shell/session.ts'
import type { Reply, Visit } from '../shell/visit.ts'
import { requireWriter, undefinedIfMissing, type Workspace, type WorkspaceHandler } from '../shell/workspace.ts'
import { backToMessage } from './mail-list.ts'
import { messageMissing } from './read-message.ts'

const CHOOSE = { to: 'Choose whose inbox it belongs to' }
const NO_INBOX = { to: 'They have no inbox yet. Create its address under Care circle first.' }

/** Asks whom a letter is about that came to the wrong inbox. */
export function showSomebodyElse(ctx: Context): WorkspaceHandler {
  return async (visit, workspace) => {
    requireWriter(workspace)
    return askReply(ctx, visit, workspace)
  }
}

/** Moves a message with its conversation. Its page there offers to undo it. */
export function moveToSomebodyElse(ctx: Context): WorkspaceHandler {
  return async (visit, workspace) => {
    const ids = messageIdsOf(visit)
    const toLovedOneId = visit.field('to').slice(0, 128)
    if (!workspace.lovedOnes.some(({ id }) => id === toLovedOneId && id !== ids.lovedOneId))
      return askReply(ctx, visit, workspace, CHOOSE)
    try {
      const request = { ...ids, toLovedOneId }
      const moved = await ctx.inbox.moveMessage(request, asPerson(workspace.session, visit)).catch(undefinedIfMissing)
      if (moved === undefined) return messageMissing(workspace)
      return { redirectTo: messagePath({ ...ids, lovedOneId: toLovedOneId }), flash: 'message-moved' }
    } catch (error) {
      const status = error instanceof StatusError ? error.status : ''
      if (status === 'INVALID_ARGUMENT') return askReply(ctx, visit, workspace, NO_INBOX)
      if (status !== 'FAILED_PRECONDITION') throw error
      return { redirectTo: backToMessage(visit), flash: 'someone-was-faster' }
    }
  }
}

async function askReply(ctx: Context, visit: Visit, workspace: Workspace, errors: FieldErrors = {}): Promise<Reply> {
  const ids = messageIdsOf(visit)
  const request = { ...ids, markRead: false }
  const opened = await ctx.inbox.openMessage(request, asPerson(workspace.session, visit)).catch(undefinedIfMissing)
  if (opened?.message === undefined) return messageMissing(workspace)
  const title = 'About somebody else'
  const others = workspace.lovedOnes.filter(({ id }) => id !== ids.lovedOneId)
  const hasErrors = Object.keys(errors).length > 0
  const count = opened.others.length
  const main = html`<p class="up"><a href="${backToMessage(visit)}">Message</a></p>
${errorSummary(errors)}
<h1>${title}</h1>
<p>“<bdi>${opened.message.subject || 'No subject'}</bdi>”${count > 0 && html`, with ${count === 1 ? 'the other message' : `the ${count} other messages`} of its conversation,`} moves to the inbox you choose, for everyone. Its replies, notes, reminders and appointments go with it.</p>
<form method="post" action="${messagePath(ids)}/somebody-else" novalidate>
${radioField({
  name: 'to',
  legend: 'Whose inbox it belongs to',
  options: others.map(({ id, name }) => ({ value: id, label: name })),
  value: others.length === 1 ? (others[0]?.id ?? '') : '',
  error: errors.to,
})}
<div class="row"><button>Move</button> <a href="${backToMessage(visit)}">Go back</a></div>
</form>`
  return { page: sectionPage({ id: 'inbox', workspace }, { title, hasErrors, main }), status: hasErrors ? 422 : 200 }
}
