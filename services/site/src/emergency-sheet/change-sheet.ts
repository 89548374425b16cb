import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import type { Context } from '../context.ts'
import { toFieldErrors } from '../shell/fields.ts'
import { html } from '../shell/html.ts'
import { withReturnTo } from '../shell/return-to.ts'
import { asPerson } from '../shell/session.ts'
import type { VisitHandler } from '../shell/visit.ts'
import { requireLovedOne, requireWriter, type WorkspaceHandler } from '../shell/workspace.ts'
import { besideNewer, formReply, hasText, MAX_TEXT, newForm, readForm, sheetForm } from './sheet-form.ts'
import { readSheet, SHEET_FIELDS, SHEET_WORDS, sheetPath } from './sheet-parts.ts'

const TOO_LONG = Object.fromEntries(
  SHEET_FIELDS.map((field) => [field, `Shorten “${SHEET_WORDS[field].label}” to ${MAX_TEXT} characters`]),
)

export function showChangeSheet(ctx: Context): WorkspaceHandler {
  return async (visit, workspace) => {
    const lovedOne = requireLovedOne(workspace, visit.id('id'))
    requireWriter(workspace)
    const { sheet } = await readSheet(ctx, visit, workspace, lovedOne.id)
    return formReply({ workspace, lovedOne, form: newForm(sheet) })
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

/** Returns the text in the same form: the session ended while it was written. */
export const unsavedSheet: VisitHandler = async (visit) => {
  const lovedOne = { id: visit.id('id') }
  const signIn = withReturnTo('/sign-in', sheetPath(lovedOne))
  if (!hasText(visit)) return { redirectTo: signIn }
  const title = 'Your changes were not saved'
  const main = html`<h1>${title}</h1>
<p class="notice" role="alert">Your session ended. Your text is still here.</p>
<ol class="steps">
<li><a href="${signIn}" target="_blank" rel="noopener">Sign in</a> (opens in a new tab).</li>
<li>Come back to this page and press Save.</li>
</ol>
${sheetForm({ lovedOne, form: readForm(visit) })}`
  return { page: { title, main, hasErrors: true }, status: 422 }
}
