import type { EmergencySheet, EmergencyTexts } from '@family-inbox/proto/carecircle/v1/care_circle'
import type { Context } from '../context.ts'
import { type Html, html } from '../shell/html.ts'
import { dateOf } from '../shell/moment.ts'
import type { ReaderClock } from '../shell/reader-clock.ts'
import { asPerson } from '../shell/session.ts'
import type { Visit } from '../shell/visit.ts'
import type { LovedOne, Workspace } from '../shell/workspace.ts'

export type Texts = Required<EmergencyTexts>

export type SheetField = keyof Texts

/** In the order in which a ward reads them. */
export const SHEET_WORDS: Record<SheetField, { label: string; hint: string }> = {
  conditions: { label: 'Conditions', hint: 'Illnesses, operations, and implants, such as a pacemaker.' },
  allergies: { label: 'Allergies', hint: 'Medication, food, latex. If there are none, write “None known”.' },
  medication: { label: 'Medication', hint: 'Name, dose, and when. Your family keeps this list up to date.' },
  doctors: { label: 'Doctors', hint: 'Name, specialty, and phone number.' },
  insurance: { label: 'Insurance', hint: 'The company and the number on the card.' },
  contacts: { label: 'Contacts', hint: 'Who to call first, with phone numbers.' },
  wishes: { label: 'Wishes', hint: 'For example language, hearing aids, faith, or where the living will is.' },
}

export const SHEET_FIELDS = Object.keys(SHEET_WORDS) as SheetField[]

export function sheetPath({ id }: Pick<LovedOne, 'id'>, page = ''): string {
  return `/emergency-sheets/${encodeURIComponent(id)}${page}`
}

export async function readSheet(ctx: Context, visit: Visit, { session }: Workspace, lovedOneId: string) {
  const { sheet, links } = await ctx.careCircle.getEmergencySheet({ lovedOneId }, asPerson(session, visit))
  return { sheet: sheet ?? NO_SHEET, links }
}

const NO_SHEET: EmergencySheet = {
  texts: undefined,
  version: 0,
  changedByName: '',
  checkedByName: '',
  checkedAt: undefined,
}

/** The sheet as it is read and printed. What is empty says so, because silence is no answer to “any allergies?”. */
export function sheetText(name: string, { texts, checkedByName, checkedAt }: EmergencySheet, clock: ReaderClock): Html {
  return html`<article class="emergency-sheet">
<h1>Emergency sheet for <bdi>${name}</bdi></h1>
${checkedAt && html`<p class="checked">Last checked by <bdi>${checkedByName}</bdi> on ${dateOf(checkedAt, clock)}</p>`}
<dl>${SHEET_FIELDS.map((field) => {
    const text = texts?.[field] ?? ''
    return html`<div><dt>${SHEET_WORDS[field].label}</dt>
<dd${text === '' && html` class="hint"`}>${text === '' ? 'Not filled in' : html`<bdi>${text}</bdi>`}</dd></div>\n`
  })}</dl>
</article>`
}

/** Without its script, the browser’s own command prints. @param printed where it is recorded */
export function printButton(printed?: string): Html {
  return html`<button type="button" class="second" data-prints${printed && html` data-printed="${printed}"`} hidden>Print</button>`
}
