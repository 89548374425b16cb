import { errorSummary, type FieldErrors, textField } from '../shell/fields.ts'
import { type Html, html } from '../shell/html.ts'
import { momentOf } from '../shell/moment.ts'
import type { Page, Viewer } from '../shell/page.ts'
import type { ReaderClock } from '../shell/reader-clock.ts'

type SandboxData = {
  viewer: Viewer
  clock: ReaderClock
  workspaceId: string
  lovedOneName: string
  inboxAddress: string
  careContext: string
  drafts: string[]
  messageCount: number
  expiresAt: Date | undefined
  values: { yourName: string; relationship: string; familyName: string; invite: string[] }
  errors: FieldErrors
}

export function sandboxPage(data: SandboxData): Page {
  const { viewer, workspaceId, lovedOneName, values, errors } = data
  return {
    title: 'Take over this inbox?',
    viewer,
    hasErrors: Object.keys(errors).length > 0,
    main: html`${errorSummary(errors)}
<h1>An inbox for <bdi>${lovedOneName}</bdi></h1>
<p>An assistant set it up for your email address. Only you can take it over, and nobody has been contacted. If you take it over, it becomes your family’s inbox and you become its owner.</p>
${facts(data)}
${words(data.careContext)}
<form method="post" action="/onboarding/${workspaceId}" novalidate>
${textField({
  name: 'yourName',
  label: 'Your name',
  hint: 'Your family and the people you reply to see it.',
  autocomplete: 'name',
  maxlength: 120,
  value: values.yourName,
  error: errors.yourName,
})}
${textField({
  name: 'relationship',
  label: 'How are you related to them?',
  hint: 'For example, “daughter” or “neighbor”.',
  maxlength: 60,
  optional: true,
  value: values.relationship,
  error: errors.relationship,
})}
${textField({
  name: 'familyName',
  label: 'Family name',
  maxlength: 120,
  value: values.familyName,
  error: errors.familyName,
})}
${invitations(data)}
<div class="row"><button>Take it over</button> <a href="/onboarding/${workspaceId}/discard">I don’t want it</a></div>
</form>`,
  }
}

function facts({ clock, inboxAddress, messageCount, expiresAt }: SandboxData): Html {
  return html`<dl class="facts">
<div><dt>Email address</dt><dd><bdi>${inboxAddress}</bdi></dd></div>
<div><dt>Mail</dt><dd>${messageCount === 1 ? '1 message' : `${messageCount} messages`}</dd></div>
${expiresAt && html`<div><dt>Expires</dt><dd>${momentOf(expiresAt, clock)}</dd></div>`}
</dl>`
}

function words(careContext: string): Html | undefined {
  if (careContext === '') return undefined
  const paragraphs = careContext.split('\n').filter((line) => line.trim() !== '')
  return html`<section aria-labelledby="words">
<h2 id="words">The assistant’s notes</h2>
${paragraphs.map((line) => html`<p><bdi>${line}</bdi></p>`)}
<p class="hint">Only you can see these notes. They are deleted when you take the inbox over.</p>
</section>`
}

function invitations({ drafts, values, errors }: SandboxData): Html | undefined {
  if (drafts.length === 0) return undefined
  return html`<fieldset id="invite" tabindex="-1">
<legend>Invite these people?</legend>
<p class="hint">The assistant suggested them. Only people you select get an invitation. They can then read and reply.</p>
${errors.invite && html`<p class="error"><span class="unseen">Error: </span>${errors.invite}</p>`}
${drafts.map(
  (email) =>
    html`<label class="tick"><input type="checkbox" name="invite" value="${email}"${values.invite.includes(email) && html` checked`}> <span><bdi>${email}</bdi></span></label>`,
)}
</fieldset>`
}
