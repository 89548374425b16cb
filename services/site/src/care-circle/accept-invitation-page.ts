import { errorSummary, type FieldErrors, textField } from '../shell/fields.ts'
import { type Html, html } from '../shell/html.ts'
import { dayOf } from '../shell/moment.ts'
import type { Page, Viewer } from '../shell/page.ts'
import type { ReaderClock } from '../shell/reader-clock.ts'
import { withReturnTo } from '../shell/return-to.ts'

/** `wrongEmail`: signed in, but not with the invited address. */
export type InvitationReader =
  | { state: 'stranger' }
  | { state: 'wrongEmail'; viewer: Viewer }
  | { state: 'invited'; viewer: Viewer; name: string; errors: FieldErrors }

type InvitationData = {
  token: string
  clock: ReaderClock
  /** `workspace` and `invitedBy` are empty until the reader proves the invited address. */
  workspace: string
  invitedBy: string
  /** Masked until the reader proves it. */
  email: string
  role: { name: string; may: string }
  expiresAt: Date | undefined
  reader: InvitationReader
}

export function invitationPage(data: InvitationData): Page {
  const { workspace, role, clock, expiresAt, reader } = data
  const errors = reader.state === 'invited' ? reader.errors : {}
  return {
    title: workspace === '' ? 'You’re invited' : `Invitation to ${workspace}`,
    viewer: reader.state === 'stranger' ? undefined : reader.viewer,
    hasErrors: Object.keys(errors).length > 0,
    main: html`${errorSummary(errors)}
${workspace === '' ? invitedSomewhere(role) : invitedTo(data)}
${expiresAt && html`<p class="hint">This invitation expires ${dayOf(expiresAt, clock)}.</p>`}
${nextStep(data)}`,
  }
}

function invitedTo({ workspace, invitedBy, role }: InvitationData): Html {
  return html`<h1>You’re invited to <bdi>${workspace}</bdi></h1>
<p><bdi>${invitedBy}</bdi> invited you to share this family’s inbox: its mail, care timeline, and people. You’ll join as a ${role.name}. ${role.may}</p>`
}

function invitedSomewhere(role: InvitationData['role']): Html {
  return html`<h1>You’re invited to a family’s inbox</h1>
<p>A family shares mail and a care timeline here, and invites you to join as a ${role.name}. Sign in to see who invited you.</p>`
}

function nextStep({ token, email, reader }: InvitationData): Html {
  if (reader.state === 'stranger')
    return html`<p>To accept, enter the code that we send to the same address. There is no password.</p>
<form method="post" action="/sign-in/invitation"><input type="hidden" name="token" value="${token}"><button>Send a code to <bdi>${email}</bdi></button></form>
<p class="aside">Do you have a passkey? <a href="${withReturnTo('/sign-in', `/invitation/${token}`)}">Sign in with it</a></p>`
  if (reader.state === 'wrongEmail')
    return html`<div class="notice"><h2>This invitation is for another address</h2>
<p>We sent it to <bdi>${email}</bdi>, but you’re signed in as <bdi>${reader.viewer.email}</bdi>. Sign in with the invited address, or ask for a new invitation.</p></div>
<form method="post" action="/sign-out"><input type="hidden" name="return_to" value="/invitation/${token}"><button>Sign in with another address</button></form>`
  return html`<form method="post" action="/invitation/${token}" novalidate>
${textField({
  name: 'name',
  label: 'Your name',
  hint: 'The name your family knows you by.',
  autocomplete: 'name',
  maxlength: 120,
  value: reader.name,
  error: reader.errors.name,
})}
<button>Accept invitation</button>
</form>
<p class="aside">Not for you? You can ignore it. We won’t tell anyone, and it will expire.</p>`
}
