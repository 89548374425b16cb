import type { OpenMessageAsideResponse } from '@family-inbox/proto/inbox/v1/inbox'
import type { Context } from '../context.ts'
import { html } from '../shell/html.ts'
import { messageIdsOf } from '../shell/inbox-paths.ts'
import { dayOf, momentOf, whenOf } from '../shell/moment.ts'
import { type Page, sectionPage } from '../shell/page.ts'
import { listWords } from '../shell/parts.ts'
import type { ReaderClock } from '../shell/reader-clock.ts'
import { asPerson } from '../shell/session.ts'
import type { Workspace, WorkspaceHandler } from '../shell/workspace.ts'
import { asidePath, PLACES, type PlaceName } from './places.ts'

/** One message of Junk or Deleted, as text: nothing in it can be opened or answered there. */
export function showMessageAside(ctx: Context, name: PlaceName): WorkspaceHandler {
  return async (visit, workspace) => {
    const opened = await ctx.inbox.openMessageAside(messageIdsOf(visit), asPerson(workspace.session, visit))
    return { page: messagePage(name, opened, workspace, visit.clock) }
  }
}

function messagePage(
  name: PlaceName,
  { message, body, fileNames }: OpenMessageAsideResponse,
  workspace: Workspace,
  clock: ReaderClock,
): Page {
  const { sender, subject = '', receivedAt, movedBy = '', movedAt, purgeAt, messages = 1 } = message ?? {}
  const path = message === undefined ? '' : asidePath(name, message)
  const title = subject || 'No subject'
  return sectionPage(
    { id: 'inbox', workspace },
    {
      title,
      main: html`<p class="up"><a href="/${name}">${PLACES[name].label}</a></p>
<h1><bdi>${title}</bdi></h1>
<p><bdi>${sender?.name}</bdi> <span class="hint"><bdi>${sender?.address}</bdi></span>${receivedAt && html`<br><span class="hint">${momentOf(receivedAt, clock)}</span>`}</p>
<div class="notice"><p>${movedBy === '' ? 'Your filter kept this out of the inbox' : html`<bdi>${movedBy}</bdi> moved this to ${PLACES[name].label}`}${movedAt && html`, ${whenOf(movedAt, clock)}`}. ${purgeAt && html`It is deleted for good on ${dayOf(purgeAt, clock)}.`}${messages > 1 && html` It was moved with ${messages - 1 === 1 ? 'another message' : `${messages - 1} other messages`} of its conversation.`}</p>
${
  workspace.canWrite &&
  html`${name === 'junk' && html`<p class="hint">If its sender is blocked, their next mail still goes to Junk: see <a href="/settings/blocked-senders">Blocked senders</a>.</p>`}
<div class="row"><form method="post" action="${path}/restore"><button>Put back</button></form> <a href="${path}/delete">Delete for good</a></div>`
}</div>
<div class="body" dir="auto">${body}</div>
${fileNames.length > 0 && html`<p class="hint">Attached: <bdi>${listWords(fileNames)}</bdi>. Put the message back to open ${fileNames.length === 1 ? 'it' : 'them'}.</p>`}`,
    },
  )
}
