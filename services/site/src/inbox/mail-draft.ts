import type { MailDraft } from '@family-inbox/proto/inbox/v1/inbox'
import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import type { Context } from '../context.ts'
import { type Html, html } from '../shell/html.ts'
import { messagePath } from '../shell/inbox-paths.ts'
import { asPerson, findSession } from '../shell/session.ts'
import type { Visit, VisitHandler } from '../shell/visit.ts'
import type { Workspace } from '../shell/workspace.ts'
import { toServiceKey } from './reply.ts'
import { createSaveLimit } from './save-limit.ts'
import { isFromAnother } from './unsent-reply.ts'

export const WRITE_PATH = '/inbox/write'

type DraftForm = {
  toDraft: (visit: Visit) => Omit<MailDraft, 'attachments' | 'changedAt'>
  pathOf: (visit: Visit) => string
}

/** Keeps what a member has not sent, as draft.ts does for a reply. */
export function saveMailDraft(ctx: Context, { toDraft, pathOf }: DraftForm): VisitHandler {
  const limit = createSaveLimit()
  return async (visit) => {
    const session = await findSession(ctx, visit, false)
    if (session === undefined || isFromAnother(visit, session))
      throw new StatusError('PERMISSION_DENIED', 'Sign in as the person who wrote this.')
    limit.spend(session.personId)
    const person = asPerson(session, visit)
    const discard = visit.field('discard') !== ''
    const draft = { ...toDraft(visit), attachments: undefined, changedAt: undefined }
    await ctx.inbox.saveMailDraft(
      { draft, idempotencyKey: toServiceKey(visit.field('key').slice(0, 100)), discard },
      person,
    )
    const attachmentId = visit.field('remove').slice(0, 64)
    if (attachmentId !== '') await ctx.inbox.removeReplyAttachment({ attachmentId }, person)
    if (visit.field('typing') !== '') return { status: 204, headers: {}, body: '' }
    if (discard) return { redirectTo: '/', flash: 'draft-discarded' }
    const { problem } = visit.files
    return { redirectTo: pathOf(visit), flash: problem === undefined ? 'draft-saved' : 'file-not-added' }
  }
}

/** Of the reader, changed last first; none for those who may not write. */
export async function readMailDrafts(ctx: Context, visit: Visit, workspace: Workspace): Promise<MailDraft[]> {
  if (!workspace.canWrite) return []
  const { drafts } = await ctx.inbox.listMailDrafts({}, asPerson(workspace.session, visit))
  return drafts
}

/** Leads to what the reader has begun and not sent; nothing without any. */
export function draftsLine(drafts: readonly MailDraft[]): Html | undefined {
  if (drafts.length === 0) return undefined
  return html`<p class="drafts">Drafts: ${drafts.map((draft, index) => html`${index > 0 && ', '}${draftLink(draft)}`)}</p>`
}

function draftLink({ lovedOneId, messageId, to, subject }: MailDraft): Html {
  if (messageId !== '')
    return html`<a href="${messagePath({ lovedOneId, messageId })}/forward">Forward of “<bdi>${subject}</bdi>”</a>`
  const about = subject || to
  return html`<a href="${WRITE_PATH}">${about === '' ? 'New message' : html`New message “<bdi>${about}</bdi>”`}</a>`
}

/** composer.js saves the form as it is typed. Without JavaScript there is a button for that. */
export function composerAttributes(draft: string, name: string): Html {
  return html` class="composer" autocomplete="off" novalidate data-page data-message="${name}" data-draft="${draft}"`
}

export function draftButtons(draft: string, hasDraft: boolean): Html {
  return html`<p class="hint saved" role="status"></p>
<noscript><button class="quiet" formaction="${draft}">Save draft</button></noscript>
${hasDraft && html`<p><button class="quiet" name="discard" value="1" formaction="${draft}">Discard draft</button></p>`}`
}
