import type { ClaimableSandbox } from '@family-inbox/proto/sandbox/v1/sandbox'
import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import type { Context } from '../context.ts'
import { errorSummary, type FieldErrors, textField, toFieldErrors } from '../shell/fields.ts'
import { type Html, html } from '../shell/html.ts'
import { momentOf } from '../shell/moment.ts'
import { messagePage, type Page, type Viewer } from '../shell/page.ts'
import type { ReaderClock } from '../shell/reader-clock.ts'
import { asPerson, asSite, type Session, type SignedInHandler, toViewer } from '../shell/session.ts'
import type { Reply, Visit } from '../shell/visit.ts'

/** Shows an inbox that an assistant set up for this person. */
export function showSandbox(ctx: Context): SignedInHandler {
  return (visit, session) => sandboxReply(ctx, visit, session)
}

/** Claims the sandbox, invites the selected people, and opens the inbox. */
export function claimSandbox(ctx: Context): SignedInHandler {
  return async (visit, session) => {
    const values = readAnswers(visit)
    const { yourName: name, ...answers } = values
    try {
      const request = { workspaceId: visit.param('id').slice(0, 128), name, ...answers }
      const { workspaceId } = await ctx.sandbox.claimSandbox(request, asPerson(session, visit))
      await ctx.auth.selectWorkspace({ session: visit.cookies.session, workspaceId }, asSite(visit))
      return { redirectTo: '/' }
    } catch (error) {
      if (error instanceof StatusError && error.status === 'NOT_FOUND') return sandboxUnavailable(session)
      return sandboxReply(ctx, visit, session, { values, errors: toFieldErrors(error, ERRORS, { name: 'yourName' }) })
    }
  }
}

function readAnswers(visit: Visit) {
  const answer = (name: string) => visit.field(name).slice(0, 1000)
  return {
    yourName: answer('yourName'),
    relationship: answer('relationship'),
    familyName: answer('familyName'),
    invite: visit.fields('invite').slice(0, 20),
  }
}

const ERRORS = {
  yourName: 'Enter your own name, up to 120 characters',
  relationship: 'Enter up to 60 characters, or leave this empty',
  familyName: 'Enter a name for your family’s inbox, up to 120 characters',
  invite: 'One of these addresses can’t be invited. Clear any that look wrong.',
}

type SandboxForm = {
  values: { yourName: string; relationship: string; familyName: string; invite: string[] }
  errors: FieldErrors
}

async function sandboxReply(ctx: Context, visit: Visit, session: Session, form?: SandboxForm): Promise<Reply> {
  const sandbox = await findSandbox(ctx, visit, session)
  if (sandbox === undefined) return sandboxUnavailable(session)
  const { workspaceId, lovedOneName, inboxAddress, careContext, inviteDrafts, messageCount, expiresAt } = sandbox
  const fresh = { yourName: session.name, relationship: '', familyName: sandbox.workspaceName, invite: [] }
  const page = sandboxPage({
    viewer: toViewer(session),
    clock: visit.clock,
    workspaceId,
    lovedOneName,
    inboxAddress,
    careContext,
    drafts: inviteDrafts,
    messageCount,
    expiresAt,
    ...(form ?? { values: fresh, errors: {} }),
  })
  return { page, status: form ? 422 : 200 }
}

/** Finds the sandbox named in the address among those this person may claim. */
export async function findSandbox(ctx: Context, visit: Visit, session: Session): Promise<ClaimableSandbox | undefined> {
  const { sandboxes } = await ctx.sandbox.listClaimableSandboxes({}, asPerson(session, visit))
  return sandboxes.find(({ workspaceId }) => workspaceId === visit.param('id'))
}

/** Answers alike for a sandbox that never existed, expired, was claimed, or belongs to someone else. */
export function sandboxUnavailable(session: Session): Reply {
  const page = messagePage({
    title: 'There is nothing to take over',
    lines: [
      'This inbox may have expired, been taken over already, or been set up for a different email address.',
      'Nothing was changed. If you took it over yourself, you’ll find it on the home page.',
    ],
    next: { label: 'Go to the home page', href: '/' },
    viewer: toViewer(session),
  })
  return { page, status: 404 }
}

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

/** Renders the contents of a sandbox and the form to claim it. */
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
