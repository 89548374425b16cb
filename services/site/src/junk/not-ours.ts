import { AsidePlace } from '@family-inbox/proto/inbox/v1/inbox'
import type { Context } from '../context.ts'
import { errorSummary, type FieldErrors, textArea } from '../shell/fields.ts'
import { html } from '../shell/html.ts'
import { messageIdsOf, messagePath } from '../shell/inbox-paths.ts'
import { type Page, sectionPage } from '../shell/page.ts'
import { explainRefusal } from '../shell/refusal.ts'
import { asPerson } from '../shell/session.ts'
import type { Visit } from '../shell/visit.ts'
import { requireWriter, type Workspace, type WorkspaceHandler } from '../shell/workspace.ts'

/** Says nothing of what the letter says. */
const PREPARED = `Hello,

This message reached us by mistake: it is about somebody else. We deleted it. Please correct the address you have for them.`

const MAX_BODY = 20_000

/** Asks before mail that is about somebody else is deleted at once, and offers to tell its sender. */
export function showNotOurs(ctx: Context): WorkspaceHandler {
  return async (visit, workspace) => {
    requireWriter(workspace)
    return {
      page: notOursPage(visit, workspace, { replyTo: await readReplyTo(ctx, visit, workspace), body: PREPARED }),
    }
  }
}

/** The reply first: mail is deleted once a reply to it has left. */
export function deleteNotOurs(ctx: Context): WorkspaceHandler {
  return async (visit, workspace) => {
    const ids = messageIdsOf(visit)
    const person = asPerson(workspace.session, visit)
    const isTold = visit.field('tell') !== ''
    const body = visit.field('body').slice(0, MAX_BODY + 1)
    try {
      // The same form sends one reply, however often it is sent.
      if (isTold) await ctx.inbox.replyToMessage({ ...ids, body, idempotencyKey: `not-ours:${ids.messageId}` }, person)
    } catch (error) {
      const errors = explainRefusal(error, 'body', 'Enter your answer, up to 20,000 characters')
      const replyTo = await readReplyTo(ctx, visit, workspace)
      return { page: notOursPage(visit, workspace, { replyTo, body, errors }), status: 422 }
    }
    await ctx.inbox.setMessageAside({ ...ids, place: AsidePlace.DELETED, onlyThis: true, now: true }, person)
    return { redirectTo: '/', flash: isTold ? 'not-ours-told' : 'not-ours' }
  }
}

/** Empty if the message cannot be answered. */
async function readReplyTo(ctx: Context, visit: Visit, { session }: Workspace): Promise<string> {
  const request = { ...messageIdsOf(visit), markRead: false }
  const { replyTo, replyToMember } = await ctx.inbox.openMessage(request, asPerson(session, visit))
  return replyToMember ? '' : replyTo
}

type NotOursData = { replyTo: string; body: string; errors?: FieldErrors }

function notOursPage(visit: Visit, workspace: Workspace, { replyTo, body, errors = {} }: NotOursData): Page {
  const title = 'Not meant for your family?'
  const path = messagePath(messageIdsOf(visit))
  return sectionPage(
    { id: 'inbox', workspace },
    {
      title,
      hasErrors: Object.keys(errors).length > 0,
      main: html`<p class="up"><a href="${path}">Message</a></p>
${errorSummary(errors)}
<h1>${title}</h1>
<p>A letter about somebody else is private. It is deleted for good right away, for everyone in your care circle, with its files. You can’t undo this.</p>
<form method="post" action="${path}/not-ours" novalidate>
${
  replyTo === ''
    ? html`<p class="hint">This message can’t be answered here, so its sender doesn’t hear of it.</p>`
    : html`<label class="tick"><input type="checkbox" name="tell" value="1" checked> <span>Tell the sender<span class="hint">Goes to <bdi>${replyTo}</bdi>. It says nothing of what the letter says.</span></span></label>
${textArea({ name: 'body', label: 'What they get', value: body, rows: 6, maxlength: MAX_BODY, error: errors.body })}`
}
<div class="row"><button class="danger">Delete for good</button> <a href="${path}">Go back</a></div>
</form>`,
    },
  )
}
