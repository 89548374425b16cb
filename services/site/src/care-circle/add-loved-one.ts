import { createHash } from 'node:crypto'
import { newId } from '@family-inbox/service-kit/ids/ids'
import type { Context } from '../context.ts'
import { errorSummary, type FieldErrors, textField, toFieldErrors } from '../shell/fields.ts'
import { html } from '../shell/html.ts'
import { type Page, sectionPage } from '../shell/page.ts'
import { asPerson } from '../shell/session.ts'
import { requireWriter, type Workspace, type WorkspaceHandler } from '../shell/workspace.ts'

const FIELD_ERRORS = { name: 'Enter the name of the person you care for, up to 120 characters' }

export function showAddLovedOne(): WorkspaceHandler {
  return async (_visit, workspace) => {
    requireWriter(workspace)
    return { page: addLovedOnePage({ workspace, values: { name: '' }, idempotencyKey: newId('form'), errors: {} }) }
  }
}

/** Adds a loved one and allocates their address. If allocation fails, their page offers it again. */
export function addLovedOne(ctx: Context): WorkspaceHandler {
  return async (visit, workspace) => {
    const name = visit.field('name').slice(0, 1000)
    const idempotencyKey = visit.field('idempotency_key').slice(0, 200) || newId('form')
    const person = asPerson(workspace.session, visit)
    try {
      const { lovedOne } = await ctx.careCircle.addLovedOne(
        { name, idempotencyKey: idempotencyKeyOf(idempotencyKey, name) },
        person,
      )
      const id = lovedOne?.id ?? ''
      await ctx.inbox.allocateInboxAddress({ lovedOneId: id }, person)
      return { redirectTo: `/care-circle/loved-ones/${id}`, flash: 'loved-one-added' }
    } catch (error) {
      const errors = toFieldErrors(error, FIELD_ERRORS)
      return { page: addLovedOnePage({ workspace, values: { name }, idempotencyKey, errors }), status: 422 }
    }
  }
}

/** Includes the name: Back and another name adds another person. */
function idempotencyKeyOf(form: string, name: string): string {
  return createHash('sha256').update(`${form}\n${name}`).digest('hex')
}

type AddLovedOneData = {
  workspace: Workspace
  values: { name: string }
  idempotencyKey: string
  errors: FieldErrors
}

function addLovedOnePage({ workspace, values, idempotencyKey, errors }: AddLovedOneData): Page {
  return sectionPage(
    { id: 'care-circle', workspace },
    {
      title: 'Add a person you care for',
      hasErrors: Object.keys(errors).length > 0,
      main: html`<p class="up"><a href="/care-circle">Care circle</a></p>
${errorSummary(errors)}
<h1>Add a person you care for</h1>
<p>They get a private address. Everyone in your care circle sees the mail sent to it.</p>
<form method="post" action="/care-circle/loved-ones/new" novalidate>
<input type="hidden" name="idempotency_key" value="${idempotencyKey}">
${textField({
  name: 'name',
  label: 'Who are you caring for?',
  hint: 'The name your family uses, such as “Dad” or “Rosa Martin”.',
  maxlength: 120,
  value: values.name,
  error: errors.name,
})}
<button>Add person</button>
</form>`,
    },
  )
}
