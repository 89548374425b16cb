import type { ReplyFooter } from '@family-inbox/proto/inbox/v1/inbox'
import type { Context } from '../context.ts'
import { errorSummary, textField, toFieldErrors } from '../shell/fields.ts'
import { type Html, html } from '../shell/html.ts'
import type { Page } from '../shell/page.ts'
import { asPerson } from '../shell/session.ts'
import { type LovedOne, requireLovedOne, type Workspace, type WorkspaceHandler } from '../shell/workspace.ts'
import { settingsPage } from './settings-page.ts'

const ERRORS = { text: 'Enter one line, up to 200 characters' }

/** The line that ends replies, for each loved one. */
export function showReplyFooters(ctx: Context): WorkspaceHandler {
  return async (visit, workspace) => {
    const { footers } = await ctx.inbox.getReplyFooters({}, asPerson(workspace.session, visit))
    return { page: footersPage({ workspace, footers }) }
  }
}

export function setReplyFooter(ctx: Context): WorkspaceHandler {
  return async (visit, workspace) => {
    const person = asPerson(workspace.session, visit)
    const { id } = requireLovedOne(workspace, visit.field('for'))
    const text = visit.field(fieldOf(id)).slice(0, 500)
    try {
      await ctx.inbox.setReplyFooter({ lovedOneId: id, text }, person)
      return { redirectTo: '/settings/reply-footers', flash: text.trim() === '' ? 'footer-removed' : 'footer-saved' }
    } catch (error) {
      const { text: problem = '' } = toFieldErrors(error, ERRORS)
      const { footers } = await ctx.inbox.getReplyFooters({}, person)
      const shown = [...footers.filter(({ lovedOneId }) => lovedOneId !== id), { lovedOneId: id, text }]
      return { status: 422, page: footersPage({ workspace, footers: shown, wrong: { id, problem } }) }
    }
  }
}

type FootersData = { workspace: Workspace; footers: ReplyFooter[]; wrong?: { id: string; problem: string } }

function footersPage({ workspace, footers, wrong }: FootersData): Page {
  const { lovedOnes, canWrite } = workspace
  const textOf = (lovedOne: LovedOne) => footers.find(({ lovedOneId }) => lovedOneId === lovedOne.id)?.text ?? ''
  return settingsPage({
    workspace,
    title: 'Reply footer',
    hasErrors: wrong !== undefined,
    main: html`${wrong && errorSummary({ [fieldOf(wrong.id)]: wrong.problem })}
<h1>Reply footer</h1>
<p>A line at the end of every reply tells a clinic or an agency who the message is about. Your assistants’ replies get it, too.</p>
${lovedOnes.map((lovedOne) => (canWrite ? footerForm(lovedOne, textOf(lovedOne), wrong) : footerLine(lovedOne, textOf(lovedOne))))}`,
  })
}

function footerForm({ id, name }: LovedOne, text: string, wrong: FootersData['wrong']): Html {
  return html`<form method="post" action="/settings/reply-footers" novalidate>
<input type="hidden" name="for" value="${id}">
${textField({
  name: fieldOf(id),
  label: `Replies about ${name} end with`,
  hint: `For example: For ${name}. Leave it empty for none.`,
  value: text,
  error: wrong?.id === id ? wrong.problem : undefined,
  maxlength: 200,
})}
<button>Save<span class="unseen"> for <bdi>${name}</bdi></span></button>
</form>`
}

function footerLine({ name }: LovedOne, text: string): Html {
  return html`<p><bdi>${name}</bdi>: ${text === '' ? 'nothing is added' : html`<bdi>${text}</bdi>`}</p>`
}

/** Several forms are on the page, and each field has an id of its own. */
function fieldOf(lovedOneId: string): string {
  return `text-${lovedOneId}`
}
