import { newId } from '@family-inbox/service-kit/ids/ids'
import type { Context } from '../context.ts'
import { carryTo, readCarried } from '../shell/carried.ts'
import { errorSummary, type FieldErrors, radioField } from '../shell/fields.ts'
import { type Html, html } from '../shell/html.ts'
import { dayOf } from '../shell/moment.ts'
import { type Page, sectionPage } from '../shell/page.ts'
import { copyable } from '../shell/parts.ts'
import type { ReaderClock } from '../shell/reader-clock.ts'
import { asPerson } from '../shell/session.ts'
import {
  type LovedOne,
  requireLovedOne,
  requireWriter,
  type Workspace,
  type WorkspaceHandler,
} from '../shell/workspace.ts'
import { confirmPage } from './confirm-page.ts'
import { readCodes, requireCode } from './read-circle.ts'

export function showCreateCode(): WorkspaceHandler {
  return async (visit, workspace) => {
    requireWriter(workspace)
    if (workspace.lovedOnes.length === 0) return { redirectTo: '/care-circle/loved-ones/new' }
    return {
      page: createCodePage({
        workspace,
        values: { lovedOne: visit.query('for') },
        idempotencyKey: newId('form'),
        errors: {},
      }),
    }
  }
}

const CREATED = '/care-circle/codes/created'

export function createCode(ctx: Context): WorkspaceHandler {
  return async (visit, workspace) => {
    const lovedOneId = visit.field('lovedOne').slice(0, 128)
    if (lovedOneId === '') {
      const errors = { lovedOne: 'Choose who the code is for' }
      return {
        page: createCodePage({ workspace, values: { lovedOne: '' }, idempotencyKey: newId('form'), errors }),
        status: 422,
      }
    }
    const idempotencyKey = visit.field('idempotency_key').slice(0, 200) || newId('form')
    const { code, expiresAt } = await ctx.careCircle.createProviderCode(
      { lovedOneId, idempotencyKey },
      asPerson(workspace.session, visit),
    )
    const data = { lovedOneId, code, until: expiresAt?.toISOString() ?? '' }
    return { redirectTo: CREATED, cookies: [carryTo(CREATED, workspace.session, data)] }
  }
}

/** Shows a new code for some minutes, in this browser only. */
export function showCode(): WorkspaceHandler {
  return async (visit, workspace) => {
    const { lovedOneId, code, until = '' } = readCarried(visit, workspace.session) ?? {}
    if (lovedOneId === undefined || code === undefined) return { redirectTo: '/care-circle' }
    const lovedOne = requireLovedOne(workspace, lovedOneId)
    const expiresAt = Number.isNaN(Date.parse(until)) ? undefined : new Date(until)
    return { page: codePage({ workspace, clock: visit.clock, lovedOne, code, expiresAt }) }
  }
}

type CreateCodeData = {
  workspace: Workspace
  values: { lovedOne: string }
  idempotencyKey: string
  errors: FieldErrors
}

function createCodePage({ workspace, values, idempotencyKey, errors }: CreateCodeData): Page {
  return sectionPage(
    { id: 'care-circle', workspace },
    {
      title: 'Create a code for an agency',
      hasErrors: Object.keys(errors).length > 0,
      main: html`<p class="up"><a href="/care-circle">Care circle</a></p>
${errorSummary(errors)}
<h1>Create a code for an agency</h1>
<p>With a code, a care agency can link the person it cares for to your family. Once sharing is on, its visits, notes, medication, and readings appear on your timeline.</p>
<ol class="steps">
<li>Create the code here and give it to the agency by phone, on paper, or by email.</li>
<li>The agency enters it. Each code works once, within 7 days.</li>
<li>The agency turns sharing on. Your care circle page shows when it is on.</li>
</ol>
<p>The agency can’t see your mail or who is in your care circle.</p>
<form method="post" action="/care-circle/codes/new">
<input type="hidden" name="idempotency_key" value="${idempotencyKey}">
${lovedOneField(workspace.lovedOnes, values.lovedOne, errors)}
<button>Create code</button>
</form>`,
    },
  )
}

function lovedOneField(lovedOnes: LovedOne[], chosen: string, errors: FieldErrors): Html {
  const [only, ...others] = lovedOnes
  if (only && others.length === 0)
    return html`<input type="hidden" name="lovedOne" value="${only.id}">
<p>The code is for <strong><bdi>${only.name}</bdi></strong>.</p>`
  return radioField({
    name: 'lovedOne',
    legend: 'Who is it for?',
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

function codePage({ workspace, clock, lovedOne, code, expiresAt }: CodeData): Page {
  return sectionPage(
    { id: 'care-circle', workspace },
    {
      title: 'Your code',
      main: html`<h1>Code for <bdi>${lovedOne.name}</bdi></h1>
${copyable({ id: 'code', text: inGroups(code), what: 'the code', look: 'code' })}
<p>Give it to the agency. It works once${expiresAt && html`, until ${dayOf(expiresAt, clock)}`}. Capital letters and spaces don’t matter.</p>
<p class="notice">Copy it or write it down now. We can’t show it again, but you can create another at any time.</p>
<p><a href="/care-circle">Back to care circle</a></p>`,
    },
  )
}

/** Groups of four, for reading aloud. */
function inGroups(code: string): string {
  return code.replace(/(.{4})(?=.)/g, '$1 ')
}

export function showCancelCode(ctx: Context): WorkspaceHandler {
  return async (visit, workspace) => {
    const { id, ending, lovedOne } = requireCode(await readCodes(ctx, visit, workspace), visit.id('id'))
    requireWriter(workspace)
    const page = confirmPage({
      workspace,
      title: 'Cancel this code?',
      question: html`Cancel the code ending in ${ending}?`,
      consequences: [
        html`It is for <bdi>${lovedOne.name}</bdi> and hasn’t been used. It stops working right away. Agencies that are already linked stay linked.`,
      ],
      action: `/care-circle/codes/${id}/cancel`,
      button: 'Cancel code',
      back: '/care-circle',
    })
    return { page }
  }
}

export function cancelCode(ctx: Context): WorkspaceHandler {
  return async (visit, { session }) => {
    await ctx.careCircle.cancelProviderCode({ codeId: visit.id('id') }, asPerson(session, visit))
    return { redirectTo: '/care-circle', flash: 'code-canceled' }
  }
}
