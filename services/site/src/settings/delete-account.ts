import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import type { Context } from '../context.ts'
import { errorSummary, type FieldErrors, textField } from '../shell/field.ts'
import { html } from '../shell/html.ts'
import { messagePage } from '../shell/message-page.ts'
import type { Page, Viewer } from '../shell/page.ts'
import { asPerson, type Session, type SignedInHandler, toViewer } from '../shell/session.ts'
import type { Reply, Visit } from '../shell/visit.ts'
import { isConfirmed } from './settings-page.ts'

/** Asks whether the account shall really go, and says what goes with it. */
export function showDeleteAccount(ctx: Context): SignedInHandler {
  return (visit, session) => deleteAccountReply(ctx, visit, session)
}

/** Deletes the reader's account, once they have typed their address; the last owner of a household hands it over first. */
export function deleteAccount(ctx: Context): SignedInHandler {
  return async (visit, session) => {
    const confirm = visit.field('confirm').slice(0, 1000)
    const refuse = (message: string) =>
      deleteAccountReply(ctx, visit, session, { values: { confirm }, errors: { confirm: message } })
    if (!isConfirmed(confirm, session.email)) return refuse('Type your email address just as it is shown')
    try {
      await ctx.auth.deleteAccount({}, asPerson(session, visit))
    } catch (error) {
      if (error instanceof StatusError && error.status === 'FAILED_PRECONDITION') return refuse(LAST_OWNER)
      throw error
    }
    const lines = ['We have forgotten you. If you want to begin anew, sign in with your address at any time.']
    return {
      page: messagePage({
        title: 'Your account is deleted',
        lines,
        next: { label: 'To the first page', href: '/sign-in' },
      }),
      cookies: [{ name: 'session' }],
    }
  }
}

const LAST_OWNER =
  'You are the only owner of a household. Make somebody else its owner in the care circle, or delete the household, first.'

type DeleteAccountForm = { values: { confirm: string }; errors: FieldErrors }

/** Draws the question, with every household the reader would leave; also after the form was refused. */
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
    ...(form ?? { values: { confirm: visit.restoredField('confirm') }, errors: {} }),
  })
  return { page, status: form ? 422 : 200 }
}

type DeleteAccountData = {
  viewer: Viewer
  /** Every household the reader leaves by it; none for who belongs to none. */
  workspaces: string[]
  values: { confirm: string }
  errors: FieldErrors
}

/** Says what goes with an account and what stays, and has the address typed before it goes. */
function deleteAccountPage({ viewer, workspaces, values, errors }: DeleteAccountData): Page {
  const back = workspaces.length > 0 ? '/settings/your-data' : '/'
  return {
    viewer,
    title: 'Delete your account?',
    hasErrors: Object.keys(errors).length > 0,
    main: html`${errorSummary(errors)}
<h1>Delete your account?</h1>
<p>This cannot be undone. You can begin anew with the same address, but nothing of before comes back.</p>
<h2>What goes</h2>
<ul>
${workspaces.length > 0 && html`<li>You leave <bdi>${list.format(workspaces)}</bdi>.</li>`}
<li>You are signed out everywhere, and all your keys and connected apps end.</li>
<li>Your name, your address and your settings, which messages you have read, and your open invitations and codes.</li>
</ul>
<h2>What stays</h2>
<ul>
${workspaces.length > 0 && html`<li>The household and its mail, which belong to your family.</li>`}
<li>Replies you sent, with your name under them: they are part of what your family said.</li>
<li>What your assistants did is still in the owner’s list, without your name.</li>
</ul>
<form method="post" action="/settings/your-data/delete-account" novalidate>
${textField({
  name: 'confirm',
  label: 'To be sure, type your email address',
  hint: viewer.email,
  type: 'email',
  inputmode: 'email',
  maxlength: 254,
  value: values.confirm,
  error: errors.confirm,
})}
<div class="row"><button class="danger">Delete my account</button> <a href="${back}">Keep it</a></div>
</form>`,
  }
}

const list = new Intl.ListFormat('en-GB', { type: 'conjunction' })
