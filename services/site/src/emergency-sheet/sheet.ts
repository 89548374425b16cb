import { type EmergencySheet, Role } from '@family-inbox/proto/carecircle/v1/care_circle'
import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import type { Context } from '../context.ts'
import { type Html, html } from '../shell/html.ts'
import { type Page, sectionPage } from '../shell/page.ts'
import { emptyState } from '../shell/parts.ts'
import type { ReaderClock } from '../shell/reader-clock.ts'
import { asPerson } from '../shell/session.ts'
import { type LovedOne, requireLovedOne, type Workspace, type WorkspaceHandler } from '../shell/workspace.ts'
import { formReply, hasText, isChanged, readForm } from './sheet-form.ts'
import { printButton, readSheet, sheetPath, sheetText } from './sheet-parts.ts'

export function showSheet(ctx: Context): WorkspaceHandler {
  return async (visit, workspace) => {
    const lovedOne = requireLovedOne(workspace, visit.id('id'))
    const about = { detail: { lovedOneId: lovedOne.id }, hourly: lovedOne.id }
    const [{ sheet }] = await Promise.all([
      readSheet(ctx, visit, workspace, lovedOne.id),
      ctx.recordAct(workspace.session, { act: 'open_emergency_sheet', ...about }),
    ])
    return { page: sheetPage({ workspace, lovedOne, sheet, clock: visit.clock }) }
  }
}

/** The browser of a reader says that it prints the sheet. */
export function recordSheetPrint(ctx: Context): WorkspaceHandler {
  return async (visit, workspace) => {
    const { id: lovedOneId } = requireLovedOne(workspace, visit.id('id'))
    const about = { detail: { lovedOneId }, hourly: lovedOneId }
    await ctx.recordAct(workspace.session, { act: 'print_emergency_sheet', ...about })
    return { status: 204, headers: {}, body: '' }
  }
}

/** From the sheet and from its form. What somebody typed there is not thrown away. */
export function checkSheet(ctx: Context): WorkspaceHandler {
  return async (visit, workspace) => {
    const lovedOne = requireLovedOne(workspace, visit.id('id'))
    const version = Number(visit.field('version')) || 0
    if (hasText(visit)) {
      const form = readForm(visit)
      const { sheet } = await readSheet(ctx, visit, workspace, lovedOne.id)
      if (isChanged(form, sheet)) return formReply({ workspace, lovedOne, form, problem: 'typed' })
    }
    try {
      await ctx.careCircle.checkEmergencySheet({ lovedOneId: lovedOne.id, version }, asPerson(workspace.session, visit))
      return { redirectTo: sheetPath(lovedOne), flash: 'sheet-checked' }
    } catch (error) {
      if (!(error instanceof StatusError) || error.status !== 'FAILED_PRECONDITION') throw error
      return { redirectTo: sheetPath(lovedOne), flash: 'someone-was-faster' }
    }
  }
}

type SheetData = { workspace: Workspace; lovedOne: LovedOne; sheet: EmergencySheet; clock: ReaderClock }

function sheetPage(data: SheetData): Page {
  const { workspace, lovedOne, sheet } = data
  return sectionPage(
    { id: 'care-circle', workspace },
    {
      title: `Emergency sheet for ${lovedOne.name}`,
      main: html`<p class="up"><a href="/care-circle/loved-ones/${lovedOne.id}"><bdi>${lovedOne.name}</bdi></a></p>
${sheet.version === 0 ? noSheet(data) : writtenSheet(data)}`,
    },
  )
}

function noSheet({ workspace, lovedOne }: SheetData): Html {
  return html`<h1>Emergency sheet for <bdi>${lovedOne.name}</bdi></h1>
${emptyState({
  title: 'Nothing written yet',
  text: 'One page for an ambulance or a hospital: conditions, allergies, medication, doctors, insurance, contacts, and wishes.',
  ...(workspace.canWrite && { action: { label: 'Fill in', href: sheetPath(lovedOne, '/change') } }),
})}`
}

function writtenSheet({ workspace, lovedOne, sheet, clock }: SheetData): Html {
  return html`${sheetText(lovedOne.name, sheet, clock)}
<div class="row sheet-acts">${
    workspace.canWrite &&
    html`<a class="button" href="${sheetPath(lovedOne, '/change')}">Change</a>
<form method="post" action="${sheetPath(lovedOne, '/check')}"><input type="hidden" name="version" value="${sheet.version}"><button class="second">Checked today, nothing changed</button></form>`
  }
${printButton(sheetPath(lovedOne, '/printed'))}</div>
<p class="hint sheet-acts" data-keeps-sheet hidden>This phone keeps this page until you sign out, so you can read it offline.</p>
${
  workspace.role === Role.OWNER &&
  html`<section class="aside sheet-acts" aria-labelledby="links">
<h2 id="links">For an ambulance or a ward</h2>
<p>You can open this sheet for people outside your family, for a day, a week, or a month.</p>
<p><a href="${sheetPath(lovedOne, '/links')}">Links to this sheet</a></p>
</section>`
}`
}
