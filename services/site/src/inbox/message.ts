import { randomUUID } from 'node:crypto'
import type { Context } from '../context.ts'
import { type Html, html } from '../shell/html.ts'
import { messagePage } from '../shell/message-page.ts'
import { asPerson, toViewer } from '../shell/session.ts'
import type { Reply, Visit } from '../shell/visit.ts'
import type { Workspace, WorkspaceHandler } from '../shell/workspace.ts'
import { CATEGORY_WORDS, categoryOf, categoryWords } from './category-words.ts'
import { readListQuery } from './list-query.ts'
import { type OpenMessageData, openMessagePage, type ReplyForm } from './open-message.ts'
import { readMailList } from './read-list.ts'
import { readMessage, undefinedIfMissing } from './read-message.ts'

/** Shows a message, which the reader has read from now on. */
export function showMessage(ctx: Context): WorkspaceHandler {
  return (visit, workspace) => messageReply(ctx, visit, workspace)
}

/** Draws a message as it is now, beside the list it was opened from; also after its reply form was refused. */
export async function messageReply(ctx: Context, visit: Visit, workspace: Workspace, form?: ReplyForm): Promise<Reply> {
  const lovedOne = workspace.lovedOnes.find(({ id }) => id === visit.param('lovedOneId'))
  const query = readListQuery(visit, visit.query('all') === '' ? lovedOne : undefined)
  const open = await readMessage(ctx, visit, workspace)
  if (open === undefined) return messageMissing(workspace)
  // After the message, which is read from now on: the list says so.
  const list = await readMailList(ctx, visit, workspace, query)
  const fresh = { body: '', idempotencyKey: randomUUID(), errors: {} }
  return { page: openMessagePage({ list, open, clock: visit.clock, form: form ?? fresh }), status: form ? 422 : 200 }
}

/** The same whether the message never was, or is another family's. */
export function messageMissing({ session }: Workspace): Reply {
  const page = messagePage({
    title: 'This message is not here',
    lines: [
      'The address may be mistyped, or belong to another household of yours.',
      'Nothing was lost. Look for the message in the inbox.',
    ],
    next: { label: 'Go to the inbox', href: '/' },
    viewer: toViewer(session),
  })
  return { page, status: 404 }
}

/** Has a message count as unread for the reader, and goes back to where it then stands out. */
export function markUnread(ctx: Context): WorkspaceHandler {
  return async (visit, workspace) => {
    const lovedOneId = visit.param('lovedOneId').slice(0, 128)
    const request = { lovedOneId, messageId: visit.param('messageId').slice(0, 128), read: false }
    const marked = await ctx.inbox.markMessage(request, asPerson(workspace.session, visit)).catch(undefinedIfMissing)
    if (marked === undefined) return messageMissing(workspace)
    return { redirectTo: workspace.lovedOnes.length > 1 ? `/inbox/${lovedOneId}` : '/', flash: 'marked-unread' }
  }
}

/** Files a message under another kind, for everybody. */
export function changeCategory(ctx: Context): WorkspaceHandler {
  return async (visit, workspace) => {
    const lovedOneId = visit.param('lovedOneId').slice(0, 128)
    const messageId = visit.param('messageId').slice(0, 128)
    const request = { lovedOneId, messageId, category: categoryOf(visit.field('category')) }
    const changed = await ctx.inbox
      .changeCategory(request, asPerson(workspace.session, visit))
      .catch(undefinedIfMissing)
    if (changed === undefined) return messageMissing(workspace)
    return { redirectTo: `/inbox/${lovedOneId}/${messageId}`, flash: 'category-changed' }
  }
}

/** What else can be done with a message. Filing it elsewhere is for those who may write. */
export function messageTools({ list, open }: OpenMessageData): Html {
  const path = `/inbox/${open.lovedOne.id}/${open.message.message.id}`
  const current = categoryWords(open.message.message.category).name
  return html`<section class="message-tools" aria-label="More">
${
  list.workspace.canWrite &&
  html`<form class="filing" method="post" action="${path}/category">
<label for="filed">Kind of mail</label>
<select id="filed" name="category">${CATEGORY_WORDS.map(({ name, label }) => html`<option value="${name}"${name === current && html` selected`}>${label}</option>`)}</select>
<button class="second">Change</button>
</form>`
}
<form method="post" action="${path}/unread"><button class="quiet">Mark as unread</button></form>
<button class="quiet" type="button" data-print hidden>Print</button>
</section>`
}
