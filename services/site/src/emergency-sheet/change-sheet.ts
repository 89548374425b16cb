import { createHash } from 'node:crypto'
import type { EmergencySheet } from '@family-inbox/proto/carecircle/v1/care_circle'
import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import { cleanText } from '@family-inbox/service-kit/text/clean-text'
import type { Context } from '../context.ts'
import { errorSummary, type FieldErrors, textArea, toFieldErrors } from '../shell/fields.ts'
import { type Html, html } from '../shell/html.ts'
import { sectionPage } from '../shell/page.ts'
import { asPerson } from '../shell/session.ts'
import type { Reply, Visit } from '../shell/visit.ts'
import {
  type LovedOne,
  requireLovedOne,
  requireWriter,
  type Workspace,
  type WorkspaceHandler,
} from '../shell/workspace.ts'
import { readSheet, SHEET_FIELDS, SHEET_WORDS, type SheetField, sheetPath, type Texts } from './sheet-parts.ts'

const MAX_TEXT = 2000
const TOO_LONG = Object.fromEntries(
  SHEET_FIELDS.map((field) => [field, `Shorten “${SHEET_WORDS[field].label}” to ${MAX_TEXT} characters`]),
)

/** `seen` has a hash of each text as the form first showed it, which tells whose change a difference is. */
type Form = { texts: Texts; version: number; seen: Texts }

export function showChangeSheet(ctx: Context): WorkspaceHandler {
  return async (visit, workspace) => {
    const lovedOne = requireLovedOne(workspace, visit.id('id'))
    requireWriter(workspace)
    const { sheet } = await readSheet(ctx, visit, workspace, lovedOne.id)
    const texts = textsOf(sheet)
    const form = { texts, version: sheet.version, seen: eachField((field) => hashOf(texts[field])) }
    return formReply({ workspace, lovedOne, form })
  }
}

/** Saves the sheet. If somebody else saved it first, the form shows their text beside what was typed. */
export function changeSheet(ctx: Context): WorkspaceHandler {
  return async (visit, workspace) => {
    const lovedOne = requireLovedOne(workspace, visit.id('id'))
    const form = readForm(visit)
    const { texts, version } = form
    try {
      const request = { lovedOneId: lovedOne.id, texts, version }
      await ctx.careCircle.setEmergencySheet(request, asPerson(workspace.session, visit))
      return { redirectTo: sheetPath(lovedOne), flash: 'sheet-saved' }
    } catch (error) {
      if (!(error instanceof StatusError) || error.status !== 'FAILED_PRECONDITION')
        return formReply({ workspace, lovedOne, form, errors: toFieldErrors(error, TOO_LONG) })
      const { sheet } = await readSheet(ctx, visit, workspace, lovedOne.id)
      return formReply({ workspace, lovedOne, ...besideNewer(form, sheet), problem: 'newer' })
    }
  }
}

export function readForm(visit: Visit): Form {
  return {
    // Browsers count a line break as one character and send two.
    texts: eachField((field) => cleanText(visit.field(field).slice(0, 20_000)).trim()),
    seen: eachField((field) => visit.field(`seen-${field}`).slice(0, 100)),
    version: Number(visit.field('version')) || 0,
  }
}

export function isChanged({ texts }: Form, sheet: EmergencySheet): boolean {
  const stored = textsOf(sheet)
  return SHEET_FIELDS.some((field) => texts[field] !== stored[field])
}

/** Takes over what only the other one changed, so that the next save does not undo it. */
function besideNewer({ texts, seen }: Form, sheet: EmergencySheet): Pick<FormData, 'form' | 'newer'> {
  const theirs = textsOf(sheet)
  const isMine = (field: SheetField) => hashOf(texts[field]) !== seen[field]
  const form = {
    texts: eachField((field) => (isMine(field) ? texts[field] : theirs[field])),
    seen: eachField((field) => hashOf(theirs[field])),
    version: sheet.version,
  }
  const changed = SHEET_FIELDS.filter((field) => hashOf(theirs[field]) !== seen[field])
  return { form, newer: { by: sheet.changedByName, texts: theirs, fields: changed } }
}

function textsOf({ texts }: EmergencySheet): Texts {
  return eachField((field) => texts?.[field] ?? '')
}

function eachField(textOf: (field: SheetField) => string): Texts {
  return Object.fromEntries(SHEET_FIELDS.map((field) => [field, textOf(field)])) as Texts
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('base64url').slice(0, 16)
}

type FormData = {
  workspace: Workspace
  lovedOne: LovedOne
  form: Form
  errors?: FieldErrors
  problem?: 'newer' | 'typed'
  newer?: { by: string; texts: Texts; fields: SheetField[] }
}

export function formReply({ workspace, lovedOne, form, errors = {}, problem, newer }: FormData): Reply {
  const title = `Emergency sheet for ${lovedOne.name}`
  const hasErrors = problem !== undefined || Object.keys(errors).length > 0
  const page = sectionPage(
    { id: 'care-circle', workspace },
    {
      title,
      hasErrors,
      main: html`<p class="up"><a href="${sheetPath(lovedOne)}">Emergency sheet</a></p>
${errorSummary(errors)}
${problem && problemBox(problem, newer)}
<h1>Emergency sheet for <bdi>${lovedOne.name}</bdi></h1>
<p>Write short lines. What fits on one printed page is read first.</p>
<form method="post" action="${sheetPath(lovedOne, '/change')}" novalidate>
<input type="hidden" name="version" value="${form.version}">
<input type="hidden" name="typed" value="yes">
${SHEET_FIELDS.map((name) => fieldOf(name, form, errors[name], newer))}
<div class="row"><button>Save</button>${
        form.version > 0 &&
        html` <button class="second" formaction="${sheetPath(lovedOne, '/check')}">Checked today, nothing changed</button>`
      }</div>
</form>`,
    },
  )
  return { page, status: hasErrors ? 422 : 200 }
}

function fieldOf(name: SheetField, form: Form, error: string | undefined, newer: FormData['newer']): Html {
  const field = {
    ...SHEET_WORDS[name],
    name,
    value: form.texts[name],
    maxlength: MAX_TEXT,
    rows: 3,
    ...(error && { error }),
  }
  return html`<input type="hidden" name="seen-${name}" value="${form.seen[name]}">
${textArea(field)}
${newer?.fields.includes(name) && newerText(newer.by, newer.texts[name], form.texts[name])}`
}

function newerText(by: string, theirs: string, shown: string): Html {
  if (theirs === shown) return html`<p class="notice newer"><bdi>${by}</bdi> changed this.</p>`
  return html`<div class="notice newer"><p><bdi>${by}</bdi> saved this:</p>
<p class="kept">${theirs === '' ? 'Nothing' : html`<bdi>${theirs}</bdi>`}</p></div>`
}

function problemBox(problem: 'newer' | 'typed', newer: FormData['newer']): Html {
  const words =
    problem === 'typed'
      ? html`You changed something here. Choose “Save” to keep it.`
      : html`<bdi>${newer?.by}</bdi> saved this sheet while you were writing. Nothing of yours is lost: compare the marked fields, then save.`
  return html`<div class="problems" role="alert" tabindex="-1" autofocus aria-labelledby="problem">
<h2 id="problem">${problem === 'typed' ? 'Not saved yet' : 'Someone else was faster'}</h2>
<p>${words}</p>
</div>`
}
