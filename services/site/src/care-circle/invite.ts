import { newId } from '@family-inbox/service-kit/ids/ids'
import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import { formatWait } from '@family-inbox/service-kit/text/format-wait'
import type { Context } from '../context.ts'
import { errorSummary, type FieldErrors, radioField, textArea, textField, toFieldErrors } from '../shell/fields.ts'
import { html } from '../shell/html.ts'
import { type Page, sectionPage } from '../shell/page.ts'
import { readRole } from '../shell/permissions.ts'
import { asPerson } from '../shell/session.ts'
import type { Reply, Visit } from '../shell/visit.ts'
import { requireWriter, type Workspace, type WorkspaceHandler } from '../shell/workspace.ts'
import { invitationSentReply } from './invitation-sent.ts'

const RELATIONSHIPS = ['daughter', 'son', 'wife', 'husband', 'partner', 'sister', 'brother', 'grandchild', 'friend']
const FIELD_ERRORS = {
  email: 'Enter someone else’s email address, like luis@example.org',
  role: 'Choose what they can do',
  relationship: 'Enter up to 60 characters, or leave it empty',
  message: 'Enter up to 500 characters, or leave it empty',
}

export function showInvite(): WorkspaceHandler {
  return async (visit, workspace) => {
    requireWriter(workspace)
    const values = { ...readAnswers(visit.restoredField), role: visit.restoredField('role') || 'coordinator' }
    return { page: invitePage({ workspace, values, idempotencyKey: newId('form'), errors: {} }) }
  }
}

/** Sends an invitation and leads to its link. On an error the form keeps what was typed. */
export function invite(ctx: Context): WorkspaceHandler {
  return async (visit, workspace) => {
    const values = readAnswers(visit.field)
    const idempotencyKey = visit.field('idempotency_key').slice(0, 200) || newId('form')
    try {
      const request = { ...values, role: readRole(values.role), idempotencyKey, clientAddress: visit.clientAddress }
      const invitation = await ctx.careCircle.inviteMember(request, asPerson(workspace.session, visit))
      const detail = { word: values.role }
      const { invitationId } = invitation
      await ctx.recordAct(workspace.session, { act: 'invite_person', detail, once: invitationId })
      return invitationSentReply(workspace, { email: values.email.trim(), ...invitation })
    } catch (error) {
      const { errors, ...status } = explainError(error)
      return { page: invitePage({ workspace, values, idempotencyKey: newId('form'), errors }), ...status }
    }
  }
}

export const INVITE_FIELDS = ['email', 'role', 'relationship', 'message']

function readAnswers(read: Visit['field']) {
  const answer = (name: string) => read(name).slice(0, 5000)
  return {
    email: answer('email'),
    role: answer('role'),
    relationship: answer('relationship'),
    message: answer('message'),
  }
}

type Explanation = { errors: FieldErrors } & Pick<Extract<Reply, { page: unknown }>, 'status' | 'retryAfterSec'>

function explainError(error: unknown): Explanation {
  if (error instanceof StatusError && error.status === 'ALREADY_EXISTS')
    return { errors: { email: error.message }, status: 422 }
  const wait = error instanceof StatusError && error.status === 'RESOURCE_EXHAUSTED' ? error.detail.retryAfterSec : 0
  if (error instanceof StatusError && wait) {
    const email = `${error.message} Try again in ${formatWait(wait)}.`
    return { errors: { email }, status: 429, retryAfterSec: wait }
  }
  return { errors: toFieldErrors(error, FIELD_ERRORS), status: 422 }
}

type InviteData = {
  workspace: Workspace
  values: { email: string; role: string; relationship: string; message: string }
  idempotencyKey: string
  errors: FieldErrors
}

function invitePage({ workspace, values, idempotencyKey, errors }: InviteData): Page {
  return sectionPage(
    { id: 'care-circle', workspace },
    {
      title: 'Invite someone',
      hasErrors: Object.keys(errors).length > 0,
      main: html`<p class="up"><a href="/care-circle">Care circle</a></p>
${errorSummary(errors)}
<h1>Invite someone</h1>
<p>They get an email with a link. It works once, only for their address, for 14 days.</p>
<form method="post" action="/care-circle/invite" novalidate>
<input type="hidden" name="idempotency_key" value="${idempotencyKey}">
${textField({
  name: 'email',
  label: 'Their email address',
  type: 'email',
  inputmode: 'email',
  maxlength: 254,
  value: values.email,
  error: errors.email,
})}
${radioField({
  name: 'role',
  legend: 'What can they do?',
  value: values.role,
  error: errors.role,
  options: [
    { value: 'coordinator', label: 'Read, reply, and invite', hint: 'For people who help you with care.' },
    { value: 'viewer', label: 'Read only', hint: 'For people who want to stay informed.' },
  ],
})}
${textField({
  name: 'relationship',
  label: 'How are they related to the person you care for?',
  hint: 'For example, “son” or “neighbor”.',
  maxlength: 60,
  optional: true,
  suggestions: RELATIONSHIPS,
  value: values.relationship,
  error: errors.relationship,
})}
${textArea({
  name: 'message',
  label: 'Add a message',
  hint: 'The email includes it with your name.',
  rows: 3,
  maxlength: 500,
  optional: true,
  value: values.message,
  error: errors.message,
})}
<button>Send invitation</button>
</form>`,
    },
  )
}
