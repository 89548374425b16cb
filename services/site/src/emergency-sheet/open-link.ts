import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import type { Context } from '../context.ts'
import { errorSummary, type FieldErrors, textField } from '../shell/fields.ts'
import { html } from '../shell/html.ts'
import { momentOf } from '../shell/moment.ts'
import type { Page } from '../shell/page.ts'
import { asSite } from '../shell/session.ts'
import type { VisitHandler } from '../shell/visit.ts'
import { printButton, sheetText } from './sheet-parts.ts'

const EMPTY = 'Enter the six digits'
const REFUSED = 'This address and code don’t open a sheet'

/** The same for every address: only a code tells whether there is a link. */
export function showCodeForm(): VisitHandler {
  return async (visit) => ({ page: codePage(visit.param('token')) })
}

/** Shows the sheet in its answer, at an address that shows nothing without the code. */
export function openLink(ctx: Context): VisitHandler {
  return async (visit) => {
    const token = visit.param('token').slice(0, 256)
    const code = visit.field('code').trim().slice(0, 100)
    if (code === '') return { page: codePage(token, { code: EMPTY }), status: 422 }
    try {
      const { clientAddress, clock } = visit
      const opened = await ctx.careCircle.openEmergencyLink({ token, code, clientAddress }, asSite(visit))
      const { lovedOneName: name, sheet, expiresAt, workspaceId = '', lovedOneId } = opened
      // Whoever has the link is nobody the family's list knows.
      await ctx.recordAct({ workspaceId, personId: '' }, { act: 'use_emergency_link', detail: { lovedOneId } })
      const page: Page = {
        title: 'Emergency sheet',
        main: html`${sheet && sheetText(name, sheet, clock)}
<p class="hint">The family wrote this, not a doctor.${expiresAt && html` This link works until ${momentOf(expiresAt, clock)}.`}</p>
<div class="row sheet-acts">${printButton()}</div>`,
      }
      return { page }
    } catch (error) {
      if (!(error instanceof StatusError) || error.status !== 'NOT_FOUND') throw error
      return { page: codePage(token, { code: REFUSED }), status: 404 }
    }
  }
}

function codePage(token: string, errors: FieldErrors = {}): Page {
  return {
    title: 'Emergency sheet',
    hasErrors: 'code' in errors,
    main: html`${errorSummary(errors)}
<h1>Emergency sheet</h1>
<p>A family gave you this address and a code of six digits.</p>
<form method="post" action="/emergency/${encodeURIComponent(token)}" novalidate>
${textField({
  name: 'code',
  label: 'Code',
  inputmode: 'numeric',
  maxlength: 20,
  look: 'code',
  error: errors.code,
  autofocus: true,
})}
<button>Open</button>
</form>
<p class="aside hint">It doesn’t open? Check the code. A link ends after its time, when the family revokes it, or after five wrong codes. Then ask the family for a new one.</p>`,
  }
}
