import type { BlockedSender, GetSenderFilterResponse } from '@family-inbox/proto/inbox/v1/inbox'
import type { Context } from '../context.ts'
import { errorSummary, textArea, textField } from '../shell/fields.ts'
import { type Html, html } from '../shell/html.ts'
import { dayOf } from '../shell/moment.ts'
import type { ReaderClock } from '../shell/reader-clock.ts'
import { explainRefusal } from '../shell/refusal.ts'
import { asPerson } from '../shell/session.ts'
import type { Reply, Visit } from '../shell/visit.ts'
import { type LovedOne, requireLovedOne, type Workspace, type WorkspaceHandler } from '../shell/workspace.ts'
import { settingsPage } from './settings-page.ts'

const PATH = '/settings/blocked-senders'

/** Whose mail goes to Junk, for the whole family. Owner and coordinators change it. */
export function showBlockedSenders(ctx: Context): WorkspaceHandler {
  return (visit, workspace) => filterReply(ctx, visit, workspace)
}

export function addBlocked(ctx: Context): WorkspaceHandler {
  return async (visit, workspace) => {
    const sender = visit.field('sender').trim().slice(0, 320)
    const add = () => ctx.inbox.blockSender({ sender, allowed: false }, asPerson(workspace.session, visit))
    const problem = await problemOf('sender', add)
    if (problem !== undefined) return filterReply(ctx, visit, workspace, { sender: { written: sender, problem } })
    return { redirectTo: PATH, flash: 'sender-blocked' }
  }
}

export function unblock(ctx: Context): WorkspaceHandler {
  return async (visit, { session }) => {
    await ctx.inbox.blockSender(
      { sender: visit.field('sender').slice(0, 320), allowed: true },
      asPerson(session, visit),
    )
    return { redirectTo: PATH, flash: 'sender-unblocked' }
  }
}

export function saveOnlySenders(ctx: Context): WorkspaceHandler {
  return async (visit, workspace) => {
    const { id } = requireLovedOne(workspace, visit.field('for'))
    const written = visit.field(fieldOf(id)).slice(0, 80_000)
    const only = { lovedOneId: id, on: visit.field('on') !== '', senders: written.split(/[\s,;]+/u).filter(Boolean) }
    const problem = await problemOf('senders', () =>
      ctx.inbox.setOnlySenders({ only }, asPerson(workspace.session, visit)),
    )
    if (problem !== undefined) return filterReply(ctx, visit, workspace, { only: { ...only, written, problem } })
    return { redirectTo: PATH, flash: 'only-senders-saved' }
  }
}

const INVALID = 'Enter addresses like desk@example.org, or domains like @example.org'

/** @returns in words why it was refused; undefined if it was not */
async function problemOf(field: 'sender' | 'senders', change: () => Promise<unknown>): Promise<string | undefined> {
  try {
    await change()
    return undefined
  } catch (error) {
    return explainRefusal(error, field, INVALID)[field]
  }
}

type Refused = {
  sender?: { written: string; problem: string }
  only?: { lovedOneId: string; on: boolean; written: string; problem: string }
}

async function filterReply(ctx: Context, visit: Visit, workspace: Workspace, refused: Refused = {}): Promise<Reply> {
  const filter = await ctx.inbox.getSenderFilter({}, asPerson(workspace.session, visit))
  const { sender, only } = refused
  const errors = {
    ...(sender && { sender: sender.problem }),
    ...(only && { [fieldOf(only.lovedOneId)]: only.problem }),
  }
  const page = settingsPage({
    workspace,
    title: 'Blocked senders',
    hasErrors: sender !== undefined || only !== undefined,
    main: html`${errorSummary(errors)}
<h1>Blocked senders</h1>
<p>Their mail goes to <a href="/junk">Junk</a> when it arrives: nobody is notified, assistants don’t get it, and its appointments stay out of the calendar. Senders can’t tell. Mail from members of your family always arrives.</p>
${blockedList(filter.blocked, workspace, visit.clock)}
${workspace.canWrite && blockForm(sender)}
<h2>Only some senders</h2>
<p>For a person who gets a lot of unwanted mail: only the senders you list and your family reach their inbox. Everything else goes to Junk.</p>
${workspace.lovedOnes.map((lovedOne) => onlySection(lovedOne, filter, workspace, only))}`,
  })
  return { page, status: sender || only ? 422 : 200 }
}

function blockedList(blocked: BlockedSender[], { canWrite }: Workspace, clock: ReaderClock): Html {
  if (blocked.length === 0) return html`<p class="hint">Nobody is blocked.</p>`
  return html`<ul class="rows">${blocked.map(
    ({ sender, blockedBy, blockedAt }) => html`<li class="item"><div><h2><bdi>${sender}</bdi></h2>
<p class="hint">By <bdi>${blockedBy}</bdi>${blockedAt && html`, ${dayOf(blockedAt, clock)}`}</p></div>
${canWrite && html`<form method="post" action="${PATH}/unblock"><input type="hidden" name="sender" value="${sender}"><button class="second">Unblock<span class="unseen"> <bdi>${sender}</bdi></span></button></form>`}</li>`,
  )}</ul>`
}

function blockForm(refused: Refused['sender']): Html {
  return html`<form method="post" action="${PATH}" novalidate>
${textField({
  name: 'sender',
  label: 'Block an address or a domain',
  hint: 'For example offers@example.org, or @example.org for everybody there',
  value: refused?.written ?? '',
  error: refused?.problem,
  maxlength: 254,
})}
<button>Block</button>
</form>`
}

function onlySection(
  { id, name }: LovedOne,
  { only }: GetSenderFilterResponse,
  { canWrite }: Workspace,
  refused: Refused['only'],
): Html {
  const wrong = refused?.lovedOneId === id ? refused : undefined
  const { on = false, senders = [] } = only.find(({ lovedOneId }) => lovedOneId === id) ?? {}
  const isOn = wrong?.on ?? on
  if (!canWrite)
    return html`<p><bdi>${name}</bdi>: ${on ? html`only <bdi>${senders.join(', ')}</bdi>` : 'all senders'}</p>`
  return html`<form method="post" action="${PATH}/only" novalidate>
<input type="hidden" name="for" value="${id}">
<label class="tick"><input type="checkbox" name="on" value="1"${isOn && html` checked`}> <span>Only these senders reach <bdi>${name}</bdi>’s inbox</span></label>
${textArea({
  name: fieldOf(id),
  label: `Senders for ${name}`,
  hint: 'One address or domain on each line',
  value: wrong?.written ?? senders.join('\n'),
  error: wrong?.problem,
  rows: 3,
  maxlength: 60_000,
  optional: true,
})}
<button>Save<span class="unseen"> for <bdi>${name}</bdi></span></button>
</form>`
}

/** Several forms are on the page, and each field has an id of its own. */
function fieldOf(lovedOneId: string): string {
  return `senders-${lovedOneId}`
}
