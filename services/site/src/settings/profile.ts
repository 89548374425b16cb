import type { Context } from '../context.ts'
import { errorSummary, type FieldErrors, textField, toFieldErrors } from '../shell/field.ts'
import { html } from '../shell/html.ts'
import type { Page } from '../shell/page.ts'
import { asPerson } from '../shell/session.ts'
import type { Workspace, WorkspaceHandler } from '../shell/workspace.ts'
import { settingsPage } from './settings-page.ts'

/** Shows the reader's name, to be changed, and their address. */
export function showProfile(): WorkspaceHandler {
  return async (_visit, workspace) => ({
    page: profilePage({ workspace, values: { name: workspace.session.name }, errors: {} }),
  })
}

/**
 * Changes the reader's name, first where forms suggest it from, then in their households. Should care-circle be away in
 * between, the error says so, and saving once more does the rest.
 */
export function renamePerson(ctx: Context): WorkspaceHandler {
  return async (visit, workspace) => {
    const name = visit.field('name').slice(0, 1000)
    const person = asPerson(workspace.session, visit)
    try {
      await ctx.auth.updateProfile({ name }, person)
      await ctx.careCircle.renameMember({ name }, person)
      return { redirectTo: '/settings/profile', flash: 'name-saved' }
    } catch (error) {
      return { status: 422, page: profilePage({ workspace, values: { name }, errors: toFieldErrors(error, WORDS) }) }
    }
  }
}

const WORDS = { name: 'Type your name, up to 120 characters' }

type ProfileData = { workspace: Workspace; values: { name: string }; errors: FieldErrors }

/** The reader's own name, which they can change, and the address they sign in with. */
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
  label: 'What are you called?',
  hint: 'Your family sees it in every household you belong to, and so do people you reply to.',
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
<p>You sign in with it, so it cannot be changed here. To use another one, have yourself invited at that address, and leave with this one.</p>
</section>`,
  })
}
