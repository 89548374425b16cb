import { newId } from '@family-inbox/service-kit/ids/ids'
import type { Context } from '../context.ts'
import { copyable } from '../shell/copyable.ts'
import { errorSummary, type FieldErrors } from '../shell/field.ts'
import { radioField } from '../shell/form-controls.ts'
import { type Html, html } from '../shell/html.ts'
import { dayOf } from '../shell/moment.ts'
import { type Page, sectionPage } from '../shell/page.ts'
import type { ReaderClock } from '../shell/reader-clock.ts'
import { asPerson } from '../shell/session.ts'
import { type LovedOne, requireLovedOne, type Workspace, type WorkspaceHandler } from '../shell/workspace.ts'
import { requireWriter } from './read-circle.ts'

/** Says what a code is for, and asks for whom to make one. */
export function showMakeCode(): WorkspaceHandler {
  return async (visit, workspace) => {
    requireWriter(workspace)
    if (workspace.lovedOnes.length === 0) return { redirectTo: '/care-circle/loved-ones/new' }
    return {
      page: makeCodePage({
        workspace,
        values: { lovedOne: visit.query('for') },
        idempotencyKey: newId('form'),
        errors: {},
      }),
    }
  }
}

/** Mints a code for one loved one and shows it: in this answer, and nowhere else. The same form sent twice makes one code. */
export function makeCode(ctx: Context): WorkspaceHandler {
  return async (visit, workspace) => {
    const lovedOneId = visit.field('lovedOne').slice(0, 128)
    if (lovedOneId === '') {
      const errors = { lovedOne: 'Choose for whom the code is' }
      return {
        page: makeCodePage({ workspace, values: { lovedOne: '' }, idempotencyKey: newId('form'), errors }),
        status: 422,
      }
    }
    const idempotencyKey = visit.field('idempotency_key').slice(0, 200) || newId('form')
    const minted = await ctx.careCircle.createProviderCode(
      { lovedOneId, idempotencyKey },
      asPerson(workspace.session, visit),
    )
    const lovedOne = requireLovedOne(workspace, lovedOneId)
    return { page: codePage({ workspace, clock: visit.clock, lovedOne, ...minted }) }
  }
}

type MakeCodeData = {
  workspace: Workspace
  values: { lovedOne: string }
  /** The same key makes one code, however often the form is sent. */
  idempotencyKey: string
  errors: FieldErrors
}

/** Says what a code is for, and asks for whom to make one. */
function makeCodePage({ workspace, values, idempotencyKey, errors }: MakeCodeData): Page {
  return sectionPage(
    { id: 'care-circle', workspace },
    {
      title: 'Make a code for an agency',
      hasErrors: Object.keys(errors).length > 0,
      main: html`<p class="up"><a href="/care-circle">Care circle</a></p>
${errorSummary(errors)}
<h1>Make a code for an agency</h1>
<p>With a code, a care agency can link the person it cares for to your family. Once it switches sharing on, its visits, notes, medication and measurements appear on your timeline.</p>
<ol class="steps">
<li>Make the code here, and give it to the agency: by phone, on paper, or in a mail.</li>
<li>The agency enters it. Each code works once, within 7 days.</li>
<li>The agency switches sharing on. You see under “Care agencies” whether it has.</li>
</ol>
<p>The agency sees nothing of yours: not your mail, and not who is in your care circle.</p>
<form method="post" action="/care-circle/codes/new">
<input type="hidden" name="idempotency_key" value="${idempotencyKey}">
${forWhom(workspace.lovedOnes, values.lovedOne, errors)}
<button>Make the code</button>
</form>`,
    },
  )
}

function forWhom(lovedOnes: LovedOne[], chosen: string, errors: FieldErrors): Html {
  const [only, ...others] = lovedOnes
  if (only && others.length === 0)
    return html`<input type="hidden" name="lovedOne" value="${only.id}">
<p>The code is for <strong><bdi>${only.name}</bdi></strong>.</p>`
  return radioField({
    name: 'lovedOne',
    legend: 'For whom?',
    value: chosen,
    error: errors.lovedOne,
    options: lovedOnes.map(({ id, name }) => ({ value: id, label: html`<bdi>${name}</bdi>` })),
  })
}

type CodeData = {
  workspace: Workspace
  clock: ReaderClock
  lovedOne: LovedOne
  code: string
  expiresAt: Date | undefined
}

/** Shows a code, once, large enough to be read out. */
function codePage({ workspace, clock, lovedOne, code, expiresAt }: CodeData): Page {
  return sectionPage(
    { id: 'care-circle', workspace },
    {
      title: 'The code',
      main: html`<h1>The code for <bdi>${lovedOne.name}</bdi></h1>
${copyable({ id: 'code', text: inGroups(code), what: 'the code', look: 'code' })}
<p>Give it to the agency. It works once${expiresAt && html`, until ${dayOf(expiresAt, clock)}`}. Capital letters and the space do not matter.</p>
<p class="notice">Write it down or copy it now: it is not shown again. You can make another at any time.</p>
<p><a href="/care-circle">Back to the care circle</a></p>`,
    },
  )
}

/** Four and four, as one reads it out. */
function inGroups(code: string): string {
  return code.replace(/(.{4})(?=.)/g, '$1 ')
}
