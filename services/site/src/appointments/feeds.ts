import type { CalendarFeed } from '@family-inbox/proto/carecircle/v1/care_circle'
import { newId } from '@family-inbox/service-kit/ids/ids'
import type { Context } from '../context.ts'
import { carryTo, readCarried } from '../shell/carried.ts'
import { radioField, selectField } from '../shell/fields.ts'
import { type Html, html } from '../shell/html.ts'
import { dayOf, whenOf } from '../shell/moment.ts'
import { type Page, sectionPage } from '../shell/page.ts'
import { copyable, withQuery } from '../shell/parts.ts'
import type { ReaderClock } from '../shell/reader-clock.ts'
import { asPerson } from '../shell/session.ts'
import type { Visit } from '../shell/visit.ts'
import { undefinedIfMissing, type Workspace, type WorkspaceHandler } from '../shell/workspace.ts'

const PATH = '/appointments/feeds'
const CREATED = `${PATH}/created`

/** The reader's own addresses; nobody else sees them. */
export function showFeeds(ctx: Context): WorkspaceHandler {
  return async (visit, workspace) => {
    const { feeds } = await ctx.careCircle.listCalendarFeeds({}, asPerson(workspace.session, visit))
    const values = { for: visit.restoredField('for'), details: visit.restoredField('details') || 'yes' }
    return { page: feedsPage({ workspace, clock: visit.clock, feeds, values }) }
  }
}

/** Creates an address and leads to it. Sending the form twice creates one. */
export function createFeed(ctx: Context): WorkspaceHandler {
  return async (visit, workspace) => {
    const request = visit.field('request').slice(0, 100) || newId('form')
    const asked = { request, for: visit.field('for').slice(0, 128), details: visit.field('details') }
    const { feed } = await create(ctx, visit, workspace, asked)
    const detail = { ...(asked.for !== '' && { lovedOneId: asked.for }) }
    await ctx.recordAct(workspace.session, { act: 'create_calendar_address', detail, once: feed?.id ?? request })
    return { redirectTo: CREATED, cookies: [carryTo(CREATED, workspace.session, asked)] }
  }
}

/** Shows a new address until a program has read it. The browser carries what was asked for, never the address. */
export function showCreatedFeed(ctx: Context): WorkspaceHandler {
  return async (visit, workspace) => {
    const asked = readCarried(visit, workspace.session)
    if (!asked?.request) return { redirectTo: PATH }
    const created = await create(ctx, visit, workspace, asked).catch(undefinedIfMissing)
    if (!created?.token) return { redirectTo: PATH }
    return { page: createdPage(workspace, `${ctx.config.urls.inbox}/calendar/${created.token}.ics`) }
  }
}

function create(ctx: Context, visit: Visit, { session }: Workspace, asked: Record<string, string>) {
  const { request = '', for: lovedOneId = '', details } = asked
  const wanted = { lovedOneId, withDetails: details === 'yes', idempotencyKey: request }
  return ctx.careCircle.createCalendarFeed(wanted, asPerson(session, visit))
}

export function revokeFeed(ctx: Context): WorkspaceHandler {
  return async (visit, { session }) => {
    await ctx.careCircle.revokeCalendarFeed({ feedId: visit.id('id') }, asPerson(session, visit))
    return { redirectTo: PATH, flash: 'feed-revoked' }
  }
}

type FeedsData = {
  workspace: Workspace
  clock: ReaderClock
  feeds: CalendarFeed[]
  values: { for: string; details: string }
}

function feedsPage({ workspace, clock, feeds, values }: FeedsData): Page {
  const people = workspace.lovedOnes.map(({ id, name }) => ({ value: id, label: name }))
  const options = [{ value: '', label: 'Everyone' }, ...people]
  return sectionPage(
    { id: 'appointments', workspace },
    {
      title: 'Calendar addresses',
      main: html`<p class="up"><a href="/appointments">Calendar</a></p>
<h1>Calendar addresses</h1>
<p>A private address shows the appointments, and to-dos with a day, in the calendar you already use, such as Google Calendar, Outlook or Apple Calendar. It stays up to date. Keep the address to yourself: with it, anyone can read your appointments.</p>
<h2>Your addresses</h2>
${feeds.length > 0 ? html`<ul class="rows">${feeds.map((feed) => feedRow(feed, workspace, clock))}</ul>` : html`<p>No addresses yet.</p>`}
<form class="panel" method="post" action="${PATH}">
<h2>Create an address</h2>
<input type="hidden" name="request" value="${newId('req')}">
${people.length > 1 ? selectField({ name: 'for', label: 'Appointments of', options, value: values.for }) : html`<input type="hidden" name="for" value="">`}
${radioField({
  name: 'details',
  legend: 'What it shows',
  options: [
    { value: 'yes', label: 'All details', hint: 'What it is, where, and from whom' },
    { value: 'no', label: 'Times only', hint: 'For a calendar that others see, such as the one at work' },
  ],
  value: values.details,
})}
<button>Create address</button>
</form>`,
    },
  )
}

function feedRow(
  { id, lovedOneId, withDetails, createdAt, readAt }: CalendarFeed,
  workspace: Workspace,
  clock: ReaderClock,
): Html {
  const name = lovedOneId === '' ? 'Everyone' : workspace.lovedOnes.find((lovedOne) => lovedOne.id === lovedOneId)?.name
  return html`<li class="item"><div><h3><bdi>${name}</bdi>, ${withDetails ? 'all details' : 'times only'}</h3>
<p class="hint">Created ${createdAt && dayOf(createdAt, clock)} · ${readAt ? html`last read ${whenOf(readAt, clock)}` : 'not read yet'}</p></div>
<form method="post" action="${PATH}/${id}/revoke"><button class="second">Revoke<span class="unseen"> the address for <bdi>${name}</bdi></span></button></form></li>`
}

const GOOGLE = 'https://calendar.google.com/calendar/render'

function createdPage(workspace: Workspace, address: string): Page {
  const webcal = address.replace(/^https?:/, 'webcal:')
  return sectionPage(
    { id: 'appointments', workspace },
    {
      title: 'Your new calendar address',
      main: html`<p class="up"><a href="${PATH}">Calendar addresses</a></p>
<h1>Your new calendar address</h1>
<p class="notice">Copy it now. You can’t see it again later.</p>
${copyable({ id: 'address', text: address, what: 'the address', look: 'large' })}
<p class="row"><a class="button" href="${webcal}">Open in this device’s calendar</a>
<a class="button second" href="${withQuery(GOOGLE, { cid: webcal })}" target="_blank" rel="noopener noreferrer">Add to Google Calendar</a></p>
<p>In Outlook, choose “Add calendar”, then “Subscribe from web”, and paste the address.</p>
<p>Your calendar may take some hours to show changes. If somebody else gets the address, revoke it.</p>
<p><a class="button" href="${PATH}">Done</a></p>`,
    },
  )
}
