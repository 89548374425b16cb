import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import type { Context } from '../context.ts'
import { errorSummary, type FieldErrors, radioField, selectField, textArea, textField } from '../shell/fields.ts'
import { type Html, html } from '../shell/html.ts'
import { asPerson } from '../shell/session.ts'
import type { Visit } from '../shell/visit.ts'
import { requireLovedOne, requireOwner, type Workspace, type WorkspaceHandler } from '../shell/workspace.ts'
import { EMPTY, OTHER, presetFor, readForm, toRequest, type Written } from './mailbox-form.ts'
import { PRESETS, type Preset, presetOf } from './mailbox-presets.ts'
import { MAILBOXES } from './settings-list.ts'
import { settingsPage } from './settings-page.ts'

const PATH = `${MAILBOXES.href}/add`

export function showAddMailbox(ctx: Context): WorkspaceHandler {
  return async (visit, workspace) => {
    requireOwner(workspace)
    const chosen = visit.query('with')
    const authservId = presetOf(chosen)?.authservId ?? ''
    const written = { ...EMPTY, with: chosen, by: visit.query('by'), for: visit.query('for'), authservId }
    return { page: page(workspace, written, await signInOf(ctx, visit, workspace, written), {}) }
  }
}

export function addMailbox(ctx: Context): WorkspaceHandler {
  return async (visit, workspace) => {
    const written = readForm(visit)
    const { id: lovedOneId } = requireLovedOne(workspace, written.for)
    const signIn = await signInOf(ctx, visit, workspace, written)
    const password = signIn === undefined ? visit.field('password').slice(0, 1000) : ''
    try {
      const { mailboxId } = await ctx.inbox.addMailbox(
        { lovedOneId, ...toRequest(written), password, oauthProvider: signIn?.provider ?? '' },
        asPerson(workspace.session, visit),
      )
      if (signIn !== undefined) return { redirectTo: `${MAILBOXES.href}/${mailboxId}/connect` }
    } catch (error) {
      return { page: page(workspace, written, signIn, problemsOf(error)), status: 422 }
    }
    return { redirectTo: MAILBOXES.href, flash: 'mailbox-added' }
  }
}

type SignIn = Preset['oauth']

/** How the owner lets us read it without a password, if the operator registered with the provider. */
async function signInOf(ctx: Context, visit: Visit, { session }: Workspace, written: Written): Promise<SignIn> {
  const { oauth } = presetFor(written) ?? {}
  if (oauth === undefined || written.by === PASSWORD) return undefined
  const { oauthProviders } = await ctx.inbox.listMailboxes({}, asPerson(session, visit))
  return oauthProviders.includes(oauth.provider) ? oauth : undefined
}

const PASSWORD = 'password'

const WORDS: Readonly<Record<string, string>> = {
  host: 'Enter the name of the mail server, like imap.example.org',
  port: 'Use port 993 with TLS, or 143 with STARTTLS',
  encryption: 'Choose TLS or STARTTLS',
  userName: 'Enter the user name, often the email address',
  password: 'Enter the app password',
  folder: 'Enter the name of one folder, like INBOX',
  authservId: 'Enter the name on one line, or leave this empty',
  action: 'Choose what happens in the mailbox',
  moveTo: 'Enter another folder than the one that is fetched',
  senders: 'Enter addresses like desk@example.org, or domains like @example.org',
}

/** @throws every other error */
function problemsOf(error: unknown): FieldErrors {
  if (!(error instanceof StatusError)) throw error
  const { status, message, detail } = error
  if (status === 'INVALID_ARGUMENT' && WORDS[detail.field ?? '']) {
    const field = detail.field ?? ''
    return { [field]: WORDS[field] ?? message }
  }
  if (status === 'ALREADY_EXISTS' || status === 'FAILED_PRECONDITION' || status === 'RESOURCE_EXHAUSTED')
    return { userName: message }
  throw error
}

function page(workspace: Workspace, written: Written, signIn: SignIn, errors: FieldErrors) {
  const preset = presetFor(written)
  return settingsPage({
    workspace,
    title: 'Add a mailbox',
    back: MAILBOXES,
    hasErrors: Object.keys(errors).length > 0,
    main: html`${errorSummary(errors)}
<h1>Add a mailbox</h1>
<p class="notice">Everyone in your care circle, and the assistants they connect, can read what is fetched. Ask the person whose mailbox it is.</p>
<nav aria-label="Email provider"><ul class="pills">${[...PRESETS, OTHER].map((one) => pill(one, preset?.id ?? OTHER.id, written))}</ul></nav>
<form method="post" action="${PATH}" novalidate>
<input type="hidden" name="with" value="${preset?.id ?? OTHER.id}">
<input type="hidden" name="by" value="${written.by}">
${personField(workspace, written)}
${preset === undefined ? serverFields(written, errors) : signIn === undefined && passwordHelp(preset)}
${textField({ name: 'userName', label: 'User name', hint: 'Usually the email address', value: written.userName, error: errors.userName, maxlength: 320, look: 'wide' })}
${signIn === undefined && textField({ name: 'password', label: 'App password', hint: 'Stored encrypted, and never shown again', type: 'password', error: errors.password, maxlength: 500 })}
<label class="tick"><input type="checkbox" name="withEarlier" value="1"${written.withEarlier !== '' && html` checked`}> <span>Also fetch the mail that is in it now, up to 10,000 messages</span></label>
${moreFields(written, errors)}
${signIn !== undefined && html`<p><a href="${PATH}?with=${preset?.id}&by=${PASSWORD}&for=${written.for}">Use an app password instead</a></p>`}
<button>${signIn === undefined ? 'Add mailbox' : `Continue with ${signIn.label}`}</button>
</form>`,
  })
}

function pill({ id, label }: { id: string; label: string }, current: string, { for: lovedOneId }: Written): Html {
  return html`<li><a href="${PATH}?with=${id}${lovedOneId && html`&for=${lovedOneId}`}"${id === current && html` aria-current="true"`}>${label}</a></li>`
}

function passwordHelp({ passwords, label }: Preset): Html | undefined {
  return (
    passwords &&
    html`<p>${passwords.steps} <a href="${passwords.href}" target="_blank" rel="noopener noreferrer">Open ${label}’s page</a></p>`
  )
}

function personField({ lovedOnes }: Workspace, written: Written): Html {
  return selectField({
    name: 'for',
    label: 'Whose inbox gets the mail?',
    options: lovedOnes.map(({ id, name }) => ({ value: id, label: name })),
    value: written.for,
  })
}

function serverFields(written: Written, errors: FieldErrors): Html {
  return html`${textField({ name: 'host', label: 'IMAP server', hint: 'For example imap.example.org', value: written.host, error: errors.host, maxlength: 253 })}
${selectField({
  name: 'encryption',
  label: 'Encryption',
  error: errors.encryption,
  options: [
    { value: 'tls', label: 'TLS (port 993)' },
    { value: 'starttls', label: 'STARTTLS (port 143)' },
    { value: 'none', label: 'None (only on your own network)' },
  ],
  value: written.encryption,
})}
${textField({ name: 'port', label: 'Port', hint: 'Only if it is another one', value: written.port, error: errors.port, inputmode: 'numeric', maxlength: 5, optional: true })}`
}

const FOLDED = ['folder', 'authservId', 'action', 'moveTo', 'senders']

/** What most families leave as it is. */
function moreFields(written: Written, errors: FieldErrors): Html {
  const isOpen = FOLDED.some((name) => errors[name] !== undefined)
  return html`<details class="fold linked"${isOpen && html` open`}><summary>More choices</summary>
${textField({ name: 'folder', label: 'Folder', value: written.folder, error: errors.folder, maxlength: 200 })}
${radioField({
  name: 'action',
  legend: 'What happens to a fetched message in the mailbox?',
  options: [
    { value: 'leave', label: 'Nothing' },
    { value: 'read', label: 'It is marked as read' },
    { value: 'move', label: 'It moves to the folder below' },
  ],
  value: written.action,
  error: errors.action,
})}
${textField({ name: 'moveTo', label: 'Folder to move it to', value: written.moveTo, error: errors.moveTo, maxlength: 200, optional: true })}
${textArea({ name: 'senders', label: 'Only mail from', hint: 'One address or domain on each line, like @example.org. Leave it empty for all mail.', value: written.senders, error: errors.senders, rows: 3, maxlength: 20_000, optional: true })}
${textField({ name: 'authservId', label: 'Name in Authentication-Results', hint: 'If you know what this server writes there, its check of senders counts. Without it, senders show as not verified.', value: written.authservId, error: errors.authservId, maxlength: 250, optional: true })}
</details>`
}
