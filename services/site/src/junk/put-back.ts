import type { Context } from '../context.ts'
import { html } from '../shell/html.ts'
import { messageIdsOf, messagePath } from '../shell/inbox-paths.ts'
import { sectionPage } from '../shell/page.ts'
import { asPerson } from '../shell/session.ts'
import { requireWriter, type WorkspaceHandler } from '../shell/workspace.ts'
import { asidePath, PLACES, type PlaceName } from './places.ts'

/** Puts a message back into the inbox, with those that were moved with it. */
export function putBack(ctx: Context): WorkspaceHandler {
  return async (visit, { session }) => {
    const ids = messageIdsOf(visit)
    await ctx.inbox.restoreMessage(ids, asPerson(session, visit))
    return { redirectTo: messagePath(ids), flash: 'message-restored' }
  }
}

/** Asks before a message is deleted for good. */
export function showDeleteForGood(ctx: Context, name: PlaceName): WorkspaceHandler {
  return async (visit, workspace) => {
    requireWriter(workspace)
    const { message } = await ctx.inbox.openMessageAside(messageIdsOf(visit), asPerson(workspace.session, visit))
    const { subject = '', messages = 1 } = message ?? {}
    const path = message === undefined ? '' : asidePath(name, message)
    const title = 'Delete for good?'
    return {
      page: sectionPage(
        { id: 'inbox', workspace },
        {
          title,
          main: html`<p class="up"><a href="/${name}">${PLACES[name].label}</a></p>
<h1>${title}</h1>
<p><bdi>${subject || 'No subject'}</bdi>${messages > 1 && html`, with ${messages - 1 === 1 ? 'another message' : `${messages - 1} other messages`} of its conversation`}</p>
<p>It goes with its files, notes and your family’s replies to it, for everyone. You can’t undo this.</p>
<form method="post" action="${path}/delete">
<div class="row"><button class="danger">Delete for good</button> <a href="${path}">Go back</a></div>
</form>`,
        },
      ),
    }
  }
}

export function deleteForGood(ctx: Context, name: PlaceName): WorkspaceHandler {
  return async (visit, { session }) => {
    await ctx.inbox.purgeMessage(messageIdsOf(visit), asPerson(session, visit))
    return { redirectTo: `/${name}`, flash: 'message-purged' }
  }
}
