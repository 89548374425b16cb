import { errorSummary, type FieldErrors, textField } from '../shell/field.ts'
import { type Html, html } from '../shell/html.ts'
import { dayOf } from '../shell/moment.ts'
import type { Page, Viewer } from '../shell/page.ts'
import type { ReaderClock } from '../shell/reader-clock.ts'

/** `stranger`: not signed in. `wrongEmail`: signed in with another address than the invited one. `invited`: may accept. */
export type InvitationReader =
  | { state: 'stranger'; signInUrl: string }
  | { state: 'wrongEmail'; viewer: Viewer }
  | { state: 'invited'; viewer: Viewer; name: string; errors: FieldErrors }

export type InvitationData = {
  token: string
  clock: ReaderClock
  /** Empty, like `invitedBy`, until the reader has proved the invited address. */
  workspace: string
  invitedBy: string
  /** The invited address, masked until it is proved. */
  email: string
  role: { name: string; may: string }
  expiresAt: Date | undefined
  reader: InvitationReader
}

/** What an invitation is for, and the button that accepts it. */
export function invitationPage(data: InvitationData): Page {
  const { workspace, role, clock, expiresAt, reader } = data
  const errors = reader.state === 'invited' ? reader.errors : {}
  return {
    title: workspace === '' ? 'You are invited' : `Invitation to ${workspace}`,
    viewer: reader.state === 'stranger' ? undefined : reader.viewer,
    hasErrors: Object.keys(errors).length > 0,
    main: html`${errorSummary(errors)}
${workspace === '' ? invitedSomewhere(role) : invitedTo(data)}
${expiresAt && html`<p class="hint">The invitation is good until ${dayOf(expiresAt, clock)}.</p>`}
${nextStep(data)}`,
  }
}

function invitedTo({ workspace, invitedBy, role }: InvitationData): Html {
  return html`<h1>You are invited to <bdi>${workspace}</bdi></h1>
<p><bdi>${invitedBy}</bdi> invites you to share this family’s inbox: the mail, the care timeline and the people who help. You would be a ${role.name}. ${role.may}</p>`
}

function invitedSomewhere(role: InvitationData['role']): Html {
  return html`<h1>You are invited to a family’s inbox</h1>
<p>A family that looks after somebody shares its mail, its care timeline and its helpers here, and asks you to join as a ${role.name}. Whose family it is you see once you have signed in.</p>`
}

function nextStep({ token, email, reader }: InvitationData): Html {
  if (reader.state === 'stranger')
    return html`<p>It was sent to <bdi>${email}</bdi>. Sign in with that address to accept.</p>
<p><a class="button" href="${reader.signInUrl}">Sign in to accept</a></p>`
  if (reader.state === 'wrongEmail')
    return html`<div class="notice"><h2>This invitation is for another address</h2>
<p>It was sent to <bdi>${email}</bdi>, and you are signed in as <bdi>${reader.viewer.email}</bdi>. Sign in with the invited address, or ask for an invitation to this one.</p></div>
<form method="post" action="/sign-out"><input type="hidden" name="return_to" value="/invitation/${token}"><button>Sign in with another address</button></form>`
  return html`<form method="post" action="/invitation/${token}" novalidate>
${textField({
  name: 'name',
  label: 'Your name',
  hint: 'As the family knows you.',
  autocomplete: 'name',
  maxlength: 120,
  value: reader.name,
  error: reader.errors.name,
})}
<button>Accept the invitation</button>
</form>
<p class="aside">Not for you? Then do nothing: nobody is told, and the invitation ends by itself.</p>`
}
