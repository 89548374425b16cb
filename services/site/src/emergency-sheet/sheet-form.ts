import { createHash } from 'node:crypto'
import type { EmergencySheet } from '@family-inbox/proto/carecircle/v1/care_circle'
import { cleanText } from '@family-inbox/service-kit/text/clean-text'
import { errorSummary, type FieldErrors, textArea } from '../shell/fields.ts'
import { type Html, html } from '../shell/html.ts'
import { sectionPage } from '../shell/page.ts'
import type { Reply, Visit } from '../shell/visit.ts'
import type { LovedOne, Workspace } from '../shell/workspace.ts'
import { SHEET_FIELDS, SHEET_WORDS, type SheetField, sheetPath, type Texts } from './sheet-parts.ts'

export const MAX_TEXT = 2000

/** `seen` has a hash of each text as the form first showed it, which tells whose change a difference is. */
export type Form = { texts: Texts; version: number; seen: Texts }

/** Whether the visit sends the form, and not the button below a sheet. */
export function hasText(visit: Visit): boolean {
  return visit.field('typed') !== ''
}

export function readForm(visit: Visit): Form {
  return {
    // Browsers count a line break as one character and send two.
    texts: eachField((field) => cleanText(visit.field(field).slice(0, 20_000)).trim()),
    seen: eachField((field) => visit.field(`seen-${field}`).slice(0, 100)),
    version: Number(visit.field('version')) || 0,
  }
}

/** The form of a sheet that nobody has typed in. */
export function newForm(sheet: EmergencySheet): Form {
  const texts = textsOf(sheet)
  return { texts, version: sheet.version, seen: eachField((field) => hashOf(texts[field])) }
}

export function isChanged({ texts }: Form, sheet: EmergencySheet): boolean {
  const stored = textsOf(sheet)
  return SHEET_FIELDS.some((field) => texts[field] !== stored[field])
}

/** Takes over what only the other one changed, so that the next save does not undo it. */
export function besideNewer({ texts, seen }: Form, sheet: EmergencySheet): Pick<FormData, 'form' | 'newer'> {
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

type Shown = {
  lovedOne: Pick<LovedOne, 'id'>
  form: Form
  errors?: FieldErrors
  newer?: { by: string; texts: Texts; fields: SheetField[] } | undefined
}

type FormData = Shown & { workspace: Workspace; lovedOne: LovedOne; problem?: 'newer' | 'typed' }

export function formReply({ workspace, problem, ...shown }: FormData): Reply {
  const { lovedOne, errors = {}, newer } = shown
  const hasErrors = problem !== undefined || Object.keys(errors).length > 0
  const page = sectionPage(
    { id: 'care-circle', workspace },
    {
      title: `Emergency sheet for ${lovedOne.name}`,
      hasErrors,
      main: html`<p class="up"><a href="${sheetPath(lovedOne)}">Emergency sheet</a></p>
${errorSummary(errors)}
${problem && problemBox(problem, newer)}
<h1>Emergency sheet for <bdi>${lovedOne.name}</bdi></h1>
<p>Write short lines. One printed page is read sooner than two.</p>
${sheetForm(shown)}`,
    },
  )
  return { page, status: hasErrors ? 422 : 200 }
}

export function sheetForm({ lovedOne, form, errors = {}, newer }: Shown): Html {
  return html`<form method="post" action="${sheetPath(lovedOne, '/change')}" novalidate>
<input type="hidden" name="version" value="${form.version}">
<input type="hidden" name="typed" value="yes">
${SHEET_FIELDS.map((name) => fieldOf(name, form, errors[name], newer))}
<div class="row"><button>Save</button>${
    form.version > 0 &&
    html` <button class="second" formaction="${sheetPath(lovedOne, '/check')}">Checked today, nothing changed</button>`
  }</div>
</form>`
}

function fieldOf(name: SheetField, form: Form, error: string | undefined, newer: Shown['newer']): Html {
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

function problemBox(problem: 'newer' | 'typed', newer: Shown['newer']): Html {
  const words =
    problem === 'typed'
      ? html`You changed something here. Choose “Save” to keep it.`
      : html`<bdi>${newer?.by}</bdi> saved this sheet while you were writing. Nothing of yours is lost: compare the marked fields, then save.`
  return html`<div class="problems" role="alert" tabindex="-1" autofocus aria-labelledby="problem">
<h2 id="problem">${problem === 'typed' ? 'Not saved yet' : 'Someone else was faster'}</h2>
<p>${words}</p>
</div>`
}
