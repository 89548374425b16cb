import type { Correspondent } from '@family-inbox/proto/inbox/v1/inbox'
import type { Context } from '../context.ts'
import { type Html, html } from '../shell/html.ts'
import { dayOf } from '../shell/moment.ts'
import type { ReaderClock } from '../shell/reader-clock.ts'
import { asPerson } from '../shell/session.ts'
import type { Workspace, WorkspaceHandler } from '../shell/workspace.ts'
import { settingsPage } from './settings-page.ts'

const PATH = '/settings/address-book'

/** Whom the family can write to. Owner and coordinators change it. */
export function showAddressBook(ctx: Context): WorkspaceHandler {
  return async (visit, workspace) => {
    const { correspondents } = await ctx.inbox.listCorrespondents({}, asPerson(workspace.session, visit))
    const sorted = correspondents.toSorted((a, b) => shownName(a).localeCompare(shownName(b)))
    return {
      page: settingsPage({
        workspace,
        title: 'Address book',
        main: html`<h1>Address book</h1>
<p>Clinics and people whose mail was proven to be theirs, and those your family has written to. Forms that ask for an address offer them.</p>
${sorted.length === 0 ? html`<p class="hint">Nobody yet. Whoever writes to you is entered here.</p>` : bookList(sorted, workspace, visit.clock)}`,
      }),
    }
  }
}

export function removeAddress(ctx: Context): WorkspaceHandler {
  return async (visit, { session }) => {
    await ctx.inbox.removeCorrespondent({ address: visit.field('address').slice(0, 320) }, asPerson(session, visit))
    return { redirectTo: PATH, flash: 'address-removed' }
  }
}

function shownName({ name, address }: Correspondent): string {
  return name || address
}

function bookList(correspondents: Correspondent[], { canWrite }: Workspace, clock: ReaderClock): Html {
  return html`<ul class="rows">${correspondents.map(
    ({ name, address, lastAt }) => html`<li class="item"><div><h2><bdi>${name || address}</bdi></h2>
<p class="hint">${name !== '' && html`<bdi>${address}</bdi>, `}${lastAt && html`last mail ${dayOf(lastAt, clock)}`}</p></div>
${canWrite && html`<form method="post" action="${PATH}/remove"><input type="hidden" name="address" value="${address}"><button class="second">Remove<span class="unseen"> <bdi>${address}</bdi></span></button></form>`}</li>`,
  )}</ul>`
}
