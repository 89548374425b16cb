import { type EmergencyLink, EmergencyLinkState } from '@family-inbox/proto/carecircle/v1/care_circle'
import { newId } from '@family-inbox/service-kit/ids/ids'
import type { Context } from '../context.ts'
import { carryTo, readCarried } from '../shell/carried.ts'
import { radioField } from '../shell/fields.ts'
import { type Html, html } from '../shell/html.ts'
import { dayOf, whenOf } from '../shell/moment.ts'
import { type Page, sectionPage } from '../shell/page.ts'
import { copyable } from '../shell/parts.ts'
import type { ReaderClock } from '../shell/reader-clock.ts'
import { asPerson } from '../shell/session.ts'
import type { Visit } from '../shell/visit.ts'
import {
  type LovedOne,
  requireLovedOne,
  requireOwner,
  undefinedIfMissing,
  type Workspace,
  type WorkspaceHandler,
} from '../shell/workspace.ts'
import { readSheet, sheetPath } from './sheet-parts.ts'

const LIFETIMES = [
  { value: '24', label: '24 hours', hint: 'For an ambulance, or one night in the emergency room' },
  { value: '168', label: '7 days', hint: 'For a short stay in hospital' },
  { value: '720', label: '30 days', hint: 'For rehabilitation or respite care' },
]

export function showLinks(ctx: Context): WorkspaceHandler {
  return async (visit, workspace) => {
    const lovedOne = requireLovedOne(workspace, visit.id('id'))
    requireOwner(workspace)
    const { sheet, links } = await readSheet(ctx, visit, workspace, lovedOne.id)
    if (sheet.version === 0) return { redirectTo: sheetPath(lovedOne) }
    const hours = visit.restoredField('hours') || '24'
    return { page: linksPage({ workspace, lovedOne, links, clock: visit.clock, hours }) }
  }
}

/** Creates a link and leads to it. Sending the form twice creates one. */
export function createLink(ctx: Context): WorkspaceHandler {
  return async (visit, workspace) => {
    const lovedOne = requireLovedOne(workspace, visit.id('id'))
    const request = visit.field('request').slice(0, 100) || newId('form')
    const asked = { request, hours: visit.field('hours').slice(0, 10) }
    const { link } = await create(ctx, visit, workspace, { ...asked, lovedOneId: lovedOne.id })
    const about = { detail: { lovedOneId: lovedOne.id }, once: link?.id ?? request }
    await ctx.recordAct(workspace.session, { act: 'create_emergency_link', ...about })
    const redirectTo = sheetPath(lovedOne, '/links/created')
    return { redirectTo, cookies: [carryTo(redirectTo, workspace.session, asked)] }
  }
}

/** Shows address and code until they are used. The browser carries what was asked for, never the secrets. */
export function showCreatedLink(ctx: Context): WorkspaceHandler {
  return async (visit, workspace) => {
    const lovedOne = requireLovedOne(workspace, visit.id('id'))
    const { request, hours } = readCarried(visit, workspace.session) ?? {}
    const back = { redirectTo: sheetPath(lovedOne, '/links') }
    if (request === undefined || hours === undefined) return back
    const asked = { lovedOneId: lovedOne.id, request, hours }
    const created = await create(ctx, visit, workspace, asked).catch(undefinedIfMissing)
    if (!created?.token || !created.code) return back
    const { token, code, link } = created
    const address = `${ctx.config.urls.inbox}/emergency/${token}`
    return { page: createdPage({ workspace, lovedOne, address, code, link, clock: visit.clock }) }
  }
}

type Asked = { lovedOneId: string; request: string; hours: string }

function create(ctx: Context, visit: Visit, { session }: Workspace, { lovedOneId, request, hours }: Asked) {
  const wanted = { lovedOneId, hours: Math.trunc(Number(hours)) || 0, idempotencyKey: request }
  return ctx.careCircle.createEmergencyLink(wanted, asPerson(session, visit))
}

/** Of two owners who revoke a link, the later one sees that it has ended. */
export function revokeLink(ctx: Context): WorkspaceHandler {
  return async (visit, workspace) => {
    const lovedOne = requireLovedOne(workspace, visit.id('id'))
    const linkId = visit.field('link').slice(0, 128)
    const call = asPerson(workspace.session, visit)
    const revoked = await ctx.careCircle.revokeEmergencyLink({ linkId }, call).catch(undefinedIfMissing)
    return { redirectTo: sheetPath(lovedOne, '/links'), flash: revoked ? 'link-revoked' : 'someone-was-faster' }
  }
}

type LinksData = {
  workspace: Workspace
  lovedOne: LovedOne
  links: EmergencyLink[]
  clock: ReaderClock
  hours: string
}

function linksPage({ workspace, lovedOne, links, clock, hours }: LinksData): Page {
  return sectionPage(
    { id: 'care-circle', workspace },
    {
      title: 'For an ambulance or a ward',
      main: html`<p class="up"><a href="${sheetPath(lovedOne)}">Emergency sheet</a></p>
<h1>For an ambulance or a ward</h1>
<p>A link shows the emergency sheet of <bdi>${lovedOne.name}</bdi>, and nothing else, to someone without an account. They need its address and a code of six digits.</p>
${links.length > 0 && html`<h2>Links</h2><ul class="rows">${links.map((link) => linkRow(link, lovedOne, clock))}</ul>`}
<form class="panel" method="post" action="${sheetPath(lovedOne, '/links')}">
<h2>Create a link</h2>
<input type="hidden" name="request" value="${newId('req')}">
${radioField({ name: 'hours', legend: 'How long it works', options: LIFETIMES, value: hours })}
<button>Create link</button>
</form>`,
    },
  )
}

function linkRow(link: EmergencyLink, lovedOne: LovedOne, clock: ReaderClock): Html {
  const { id, createdAt, state } = link
  return html`<li class="item"><div><h3>${stateWords(link, clock)}</h3>
<p class="hint">Created ${createdAt && whenOf(createdAt, clock)} · ${openedWords(link, clock)}</p>
${link.openedAt.length > 1 && html`<details><summary>When it was opened</summary><ul>${link.openedAt.map((at) => html`<li>${whenOf(at, clock)}</li>`)}</ul></details>`}</div>
${
  state === EmergencyLinkState.OPEN &&
  html`<form method="post" action="${sheetPath(lovedOne, '/revoke')}"><input type="hidden" name="link" value="${id}"><button class="second">Revoke<span class="unseen"> the link created ${createdAt && whenOf(createdAt, clock)}</span></button></form>`
}</li>`
}

function stateWords({ state, expiresAt }: EmergencyLink, clock: ReaderClock): Html | string {
  if (state === EmergencyLinkState.OPEN) return html`Works until ${expiresAt && whenOf(expiresAt, clock)}`
  if (state === EmergencyLinkState.LOCKED) return 'Locked after five wrong codes'
  if (state === EmergencyLinkState.REVOKED) return 'Revoked'
  return html`Expired ${expiresAt && dayOf(expiresAt, clock)}`
}

function openedWords({ openedCount, openedAt: [last] }: EmergencyLink, clock: ReaderClock): Html | string {
  if (last === undefined) return 'not opened yet'
  return html`opened ${openedCount === 1 ? 'once' : `${openedCount} times, last`} ${whenOf(last, clock)}`
}

type CreatedData = {
  workspace: Workspace
  lovedOne: LovedOne
  address: string
  code: string
  link: EmergencyLink | undefined
  clock: ReaderClock
}

function createdPage({ workspace, lovedOne, address, code, link, clock }: CreatedData): Page {
  return sectionPage(
    { id: 'care-circle', workspace },
    {
      title: 'Your new link',
      main: html`<p class="up"><a href="${sheetPath(lovedOne, '/links')}">For an ambulance or a ward</a></p>
<h1>Your new link</h1>
<p class="notice">Copy both now. You can’t see them again later.</p>
<h2>Address</h2>
${copyable({ id: 'address', text: address, what: 'the address', look: 'large' })}
<h2>Code</h2>
${copyable({ id: 'code', text: `${code.slice(0, 3)} ${code.slice(3)}`, what: 'the code', look: 'code' })}
<p>Give the code another way than the address, for example by phone. The link works until ${link?.expiresAt && whenOf(link.expiresAt, clock)}. After five wrong codes it is locked.</p>
<p><a class="button" href="${sheetPath(lovedOne, '/links')}">Done</a></p>`,
    },
  )
}
