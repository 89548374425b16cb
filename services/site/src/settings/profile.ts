import type { Context } from '../context.ts'
import { errorSummary, type FieldErrors, textField, toFieldErrors } from '../shell/fields.ts'
import { html } from '../shell/html.ts'
import type { Page } from '../shell/page.ts'
import { asPerson } from '../shell/session.ts'
import type { Workspace, WorkspaceHandler } from '../shell/workspace.ts'
import { settingsPage } from './settings-page.ts'

export function showProfile(): WorkspaceHandler {
  return async (_visit, workspace) => ({
    page: profilePage({ workspace, values: { name: workspace.ownName }, errors: {} }),
  })
}

/** Changes the reader's name in auth, then in care-circle. After a partial failure, saving again completes it. */
export function renamePerson(ctx: Context): WorkspaceHandler {
  return async (visit, workspace) => {
    const name = visit.field('name').slice(0, 1000)
    const person = asPerson(workspace.session, visit)
    try {
      await ctx.auth.updateProfile({ name }, person)
      await ctx.careCircle.renameMember({ name }, person)
      return { redirectTo: '/settings/profile', flash: 'name-saved' }
    } catch (error) {
      return { status: 422, page: profilePage({ workspace, values: { name }, errors: toFieldErrors(error, ERRORS) }) }
    }
  }
}

const ERRORS = { name: 'Enter your name, up to 120 characters' }

type ProfileData = { workspace: Workspace; values: { name: string }; errors: FieldErrors }

function profilePage({ workspace, values, errors }: ProfileData): Page {
  return settingsPage({
    workspace,
    title: 'Your name',
    hasErrors: Object.keys(errors).length > 0,
    main: html`${errorSummary(errors)}
<h1>Your name</h1>
<form method="post" action="/settings/profile" novalidate>
${textField({
  name: 'name',
  label: 'Name',
  hint: 'Every family you belong to and the people you reply to see it.',
  autocomplete: 'name',
  maxlength: 120,
  value: values.name,
  error: errors.name,
})}
<button>Save</button>
</form>
<section class="aside" aria-labelledby="address">
<h2 id="address">Your email address</h2>
<p><bdi>${workspace.session.email}</bdi></p>
<p>You sign in with this address, so you can’t change it. To use a different one, ask to be invited at that address, then leave with this account.</p>
</section>`,
  })
}
