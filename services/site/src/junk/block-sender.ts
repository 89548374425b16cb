import { AsidePlace } from '@family-inbox/proto/inbox/v1/inbox'
import type { Context } from '../context.ts'
import { errorSummary, type FieldErrors, radioField } from '../shell/fields.ts'
import { html } from '../shell/html.ts'
import { messageIdsOf, messagePath } from '../shell/inbox-paths.ts'
import { type Page, sectionPage } from '../shell/page.ts'
import { explainRefusal } from '../shell/refusal.ts'
import { asPerson } from '../shell/session.ts'
import type { Visit } from '../shell/visit.ts'
import { requireWriter, type Workspace, type WorkspaceHandler } from '../shell/workspace.ts'

/** Asks what to block: the address, or its domain. */
export function showBlockSender(ctx: Context): WorkspaceHandler {
  return async (visit, workspace) => {
    requireWriter(workspace)
    return { page: blockPage(visit, workspace, await readSender(ctx, visit, workspace)) }
  }
}

/** Blocks the sender of a message and moves its conversation to Junk. */
export function blockSender(ctx: Context): WorkspaceHandler {
  return async (visit, workspace) => {
    const person = asPerson(workspace.session, visit)
    const address = await readSender(ctx, visit, workspace)
    const sender = visit.field('sender') === 'domain' ? domainOf(address) : address
    try {
      await ctx.inbox.blockSender({ sender, allowed: false }, person)
    } catch (error) {
      return { page: blockPage(visit, workspace, address, explainRefusal(error, 'sender', INVALID)), status: 422 }
    }
    const place = { place: AsidePlace.JUNK, onlyThis: false, now: false }
    await ctx.inbox.setMessageAside({ ...messageIdsOf(visit), ...place }, person)
    return { redirectTo: '/', flash: 'sender-blocked' }
  }
}

const INVALID = 'The address of this sender can’t be blocked'

async function readSender(ctx: Context, visit: Visit, { session }: Workspace): Promise<string> {
  const request = { ...messageIdsOf(visit), markRead: false }
  const { message } = await ctx.inbox.openMessage(request, asPerson(session, visit))
  return message?.sender?.address ?? ''
}

function domainOf(address: string): string {
  return address.slice(address.lastIndexOf('@'))
}

function blockPage(visit: Visit, workspace: Workspace, address: string, errors: FieldErrors = {}): Page {
  const title = 'Block sender'
  const path = messagePath(messageIdsOf(visit))
  return sectionPage(
    { id: 'inbox', workspace },
    {
      title,
      hasErrors: Object.keys(errors).length > 0,
      main: html`<p class="up"><a href="${path}">Message</a></p>
${errorSummary(errors)}
<h1>${title}</h1>
<p>This conversation and all new mail from the sender go to Junk, for everyone in your care circle. The sender can’t tell. You can undo it under <a href="/settings/blocked-senders">Blocked senders</a>.</p>
<form method="post" action="${path}/block" novalidate>
${radioField({
  name: 'sender',
  legend: 'What to block',
  options: [
    { value: 'address', label: address },
    { value: 'domain', label: `All mail from ${domainOf(address)}`, hint: 'Every address there' },
  ],
  value: 'address',
  error: errors.sender,
})}
<div class="row"><button class="danger">Block</button> <a href="${path}">Go back</a></div>
</form>`,
    },
  )
}
