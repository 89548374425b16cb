import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import type { Context } from '../context.ts'
import { errorSummary, type FieldErrors, textField } from '../shell/fields.ts'
import { html } from '../shell/html.ts'
import { messagePage, type Page, type Viewer } from '../shell/page.ts'
import { listWords } from '../shell/parts.ts'
import { asPerson, type Session, type SignedInHandler, toViewer } from '../shell/session.ts'
import type { Reply, Visit } from '../shell/visit.ts'
import { isConfirmed } from './settings-page.ts'

export function showDeleteAccount(ctx: Context): SignedInHandler {
  return (visit, session) => deleteAccountReply(ctx, visit, session)
}

/** Deletes the account after the person enters their address. A sole owner must hand over first. */
export function deleteAccount(ctx: Context): SignedInHandler {
  return async (visit, session) => {
    const confirm = visit.field('confirm').slice(0, 1000)
    const refuse = (message: string) =>
      deleteAccountReply(ctx, visit, session, { values: { confirm }, errors: { confirm: message } })
    if (!isConfirmed(confirm, session.email)) return refuse('Enter your email address exactly as shown')
    try {
      await ctx.auth.deleteAccount({}, asPerson(session, visit))
    } catch (error) {
      if (error instanceof StatusError && error.status === 'FAILED_PRECONDITION') return refuse(LAST_OWNER)
      throw error
    }
    const again = (await isOpen(ctx)) ? ' To start over, sign in with your email address at any time.' : ''
    const lines = [`Your personal data was removed.${again}`]
    return {
      page: messagePage({
        title: 'Account deleted',
        lines,
        next: { label: 'Go to sign-in', href: '/sign-in' },
      }),
      cookies: [{ name: 'session' }],
    }
  }
}

async function isOpen({ readSwitches }: Pick<Context, 'readSwitches'>): Promise<boolean> {
  return (await readSwitches()).signUp === 'open'
}

const LAST_OWNER = 'You are the only owner of a family’s inbox. First hand it over under Care circle, or delete it.'

type DeleteAccountForm = { values: { confirm: string }; errors: FieldErrors }

async function deleteAccountReply(
  ctx: Context,
  visit: Visit,
  session: Session,
  form?: DeleteAccountForm,
): Promise<Reply> {
  const { workspaces } = await ctx.careCircle.listWorkspaces({}, asPerson(session, visit))
  const viewer = toViewer(session)
  const page = deleteAccountPage({
    viewer,
    workspaces: workspaces.map(({ name }) => name),
    mayReturn: await isOpen(ctx),
    ...(form ?? { values: { confirm: visit.restoredField('confirm') }, errors: {} }),
  })
  return { page, status: form ? 422 : 200 }
}

type DeleteAccountData = {
  viewer: Viewer
  workspaces: string[]
  /** Whether everyone may sign up. */
  mayReturn: boolean
  values: { confirm: string }
  errors: FieldErrors
}

function deleteAccountPage({ viewer, workspaces, mayReturn, values, errors }: DeleteAccountData): Page {
  const back = workspaces.length > 0 ? '/settings/your-data' : '/'
  return {
    viewer,
    title: 'Delete your account?',
    hasErrors: Object.keys(errors).length > 0,
    main: html`${errorSummary(errors)}
<h1>Delete your account?</h1>
<p>This can’t be undone. ${mayReturn ? 'You can sign up again with the same address' : 'With a new invitation you can come back'}, but you won’t get anything back.</p>
<h2>What is deleted</h2>
<ul>
${workspaces.length > 0 && html`<li>You leave <bdi>${listWords(workspaces)}</bdi>.</li>`}
<li>You are signed out everywhere, and your tool keys and connected apps stop working.</li>
<li>Your name, email address, settings, read marks, and pending invitations and codes are deleted.</li>
</ul>
<h2>What stays</h2>
<ul>
${workspaces.length > 0 && html`<li>The inbox and its mail, which belong to your family.</li>`}
<li>Replies you sent, with your name.</li>
<li>Your assistants’ activity, in the owner’s list, without your name.</li>
</ul>
<form method="post" action="/settings/your-data/delete-account" novalidate>
${textField({
  name: 'confirm',
  label: 'To confirm, enter your email address',
  hint: viewer.email,
  type: 'email',
  inputmode: 'email',
  maxlength: 254,
  value: values.confirm,
  error: errors.confirm,
})}
<div class="row"><button class="danger">Delete my account</button> <a href="${back}">Go back</a></div>
</form>`,
  }
}
