import { Role } from '@family-inbox/proto/carecircle/v1/care_circle'
import { type FetchedMailbox, MailboxProblem, MailboxState } from '@family-inbox/proto/inbox/v1/inbox'
import type { Context } from '../context.ts'
import { errorSummary, textField } from '../shell/fields.ts'
import { type Html, html } from '../shell/html.ts'
import type { ReaderClock } from '../shell/reader-clock.ts'
import { explainRefusal } from '../shell/refusal.ts'
import { asPerson } from '../shell/session.ts'
import type { Reply, Visit } from '../shell/visit.ts'
import type { Workspace, WorkspaceHandler } from '../shell/workspace.ts'
import { handlingWords, stateWords } from './mailbox-words.ts'
import { MAILBOXES } from './settings-list.ts'
import { settingsPage } from './settings-page.ts'

/** The mailboxes that mail is fetched from. Everyone sees how they work; the owner changes them. */
export function showMailboxes(ctx: Context): WorkspaceHandler {
  return (visit, workspace) => mailboxesReply(ctx, visit, workspace)
}

export function tryMailbox(ctx: Context): WorkspaceHandler {
  return async (visit, { session }) => {
    await ctx.inbox.tryMailbox({ mailboxId: visit.id('id') }, asPerson(session, visit))
    return { redirectTo: MAILBOXES.href, flash: 'mailbox-tried' }
  }
}

export function pauseMailbox(ctx: Context): WorkspaceHandler {
  return async (visit, { session }) => {
    const paused = visit.field('paused') === 'yes'
    await ctx.inbox.changeMailbox({ mailboxId: visit.id('id'), paused }, asPerson(session, visit))
    return { redirectTo: MAILBOXES.href, flash: paused ? 'mailbox-paused' : 'mailbox-resumed' }
  }
}

export function replacePassword(ctx: Context): WorkspaceHandler {
  return async (visit, workspace) => {
    const mailboxId = visit.id('id')
    const password = visit.field('password').slice(0, 1000)
    try {
      await ctx.inbox.changeMailbox({ mailboxId, password }, asPerson(workspace.session, visit))
    } catch (error) {
      const { password: problem = '' } = explainRefusal(error, 'password', 'Enter the app password')
      return mailboxesReply(ctx, visit, workspace, { mailboxId, problem })
    }
    return { redirectTo: MAILBOXES.href, flash: 'mailbox-password-saved' }
  }
}

export function removeMailbox(ctx: Context): WorkspaceHandler {
  return async (visit, { session }) => {
    await ctx.inbox.removeMailbox({ mailboxId: visit.id('id') }, asPerson(session, visit))
    return { redirectTo: MAILBOXES.href, flash: 'mailbox-removed' }
  }
}

type Refused = { mailboxId: string; problem: string }

async function mailboxesReply(ctx: Context, visit: Visit, workspace: Workspace, refused?: Refused): Promise<Reply> {
  const { mailboxes } = await ctx.inbox.listMailboxes({}, asPerson(workspace.session, visit))
  const page = settingsPage({
    workspace,
    title: MAILBOXES.label,
    hasErrors: refused !== undefined,
    main: html`${refused && errorSummary({ [fieldOf(refused.mailboxId)]: refused.problem })}
<h1>Fetched mailboxes</h1>
<p>If a loved one’s mail can’t be forwarded, we fetch it from their mailbox. Everyone in your care circle can read what is fetched.</p>
${
  mailboxes.length === 0
    ? html`<p class="hint">No mailbox yet.</p>`
    : html`<ul class="rows">${mailboxes.map((mailbox) => row(mailbox, workspace, visit.clock, refused))}</ul>`
}
${
  workspace.role === Role.OWNER
    ? html`<p><a class="button" href="${MAILBOXES.href}/add">Add a mailbox</a></p>`
    : html`<p class="hint">Only the owner can add or change a mailbox.</p>`
}`,
  })
  return { page, status: refused ? 422 : 200 }
}

function row(mailbox: FetchedMailbox, workspace: Workspace, clock: ReaderClock, refused: Refused | undefined): Html {
  const { server, lovedOneId } = mailbox
  const lovedOne = workspace.lovedOnes.find(({ id }) => id === lovedOneId)
  return html`<li class="item mailbox"><div><h2><bdi>${server?.userName}</bdi></h2>
<p class="hint"><bdi>${server?.folder}</bdi> on ${server?.host}${lovedOne && html`, for <bdi>${lovedOne.name}</bdi>`}</p>
<p class="hint">${handlingWords(mailbox)}</p>
${stateWords(mailbox, clock)}
${workspace.canWrite && tryForm(mailbox)}
${workspace.role === Role.OWNER && connectLink(mailbox)}
${workspace.role === Role.OWNER && ownerForms(mailbox, refused)}</div></li>`
}

function tryForm({ id, state, server }: FetchedMailbox): Html | false {
  if (state !== MailboxState.FAILING && state !== MailboxState.GIVEN_UP) return false
  return html`<form method="post" action="${MAILBOXES.href}/${id}/try"><button>Try now<span class="unseen"> <bdi>${server?.userName}</bdi></span></button></form>`
}

function connectLink({ id, state, problem, server }: FetchedMailbox): Html | false {
  if (state !== MailboxState.NOT_CONNECTED && problem !== MailboxProblem.CONSENT) return false
  return html`<p><a class="button" href="${MAILBOXES.href}/${id}/connect">Connect<span class="unseen"> <bdi>${server?.userName}</bdi></span></a></p>`
}

function ownerForms({ id, state, server, oauthProvider }: FetchedMailbox, refused: Refused | undefined): Html {
  const isPaused = state === MailboxState.PAUSED
  const error = refused?.mailboxId === id ? refused.problem : undefined
  const whose = html`<span class="unseen"> <bdi>${server?.userName}</bdi></span>`
  return html`<details class="fold linked"${error !== undefined && html` open`}><summary>Change${whose}</summary>
${
  state !== MailboxState.NOT_CONNECTED &&
  html`<form method="post" action="${MAILBOXES.href}/${id}/pause"><button class="second" name="paused" value="${isPaused ? 'no' : 'yes'}">${isPaused ? 'Resume' : 'Pause'}${whose}</button></form>`
}
${
  oauthProvider === '' &&
  html`<form method="post" action="${MAILBOXES.href}/${id}/password" novalidate>
${textField({
  name: fieldOf(id),
  sentAs: 'password',
  label: 'New app password',
  type: 'password',
  error,
  maxlength: 500,
})}
<button class="second">Save password${whose}</button>
</form>`
}
<form method="post" action="${MAILBOXES.href}/${id}/remove"><p class="hint">What was fetched stays in the inbox.</p><button class="danger">Remove${whose}</button></form>
</details>`
}

/** A page has several of these forms, and each field has an id of its own. */
function fieldOf(mailboxId: string): string {
  return `password-${mailboxId}`
}
