import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import type { Context } from '../context.ts'
import { html } from '../shell/html.ts'
import { asPerson } from '../shell/session.ts'
import { requireOwner, type WorkspaceHandler } from '../shell/workspace.ts'
import { PRESETS } from './mailbox-presets.ts'
import { MAILBOXES } from './settings-list.ts'
import { settingsPage } from './settings-page.ts'

/** Leads to the provider, where the owner signs in to the account. A form could not: its redirects stay on this site. */
export function showConnectMailbox(ctx: Context): WorkspaceHandler {
  return async (visit, workspace) => {
    requireOwner(workspace)
    const person = asPerson(workspace.session, visit)
    const begun = await ctx.inbox.beginMailboxConsent({ mailboxId: visit.id('id') }, person)
    const { authorizationUrl, oauthProvider, userName } = begun
    const provider = PRESETS.find(({ oauth }) => oauth?.provider === oauthProvider)?.oauth?.label ?? ''
    return {
      page: settingsPage({
        workspace,
        title: `Connect with ${provider}`,
        back: MAILBOXES,
        main: html`<h1>Connect with ${provider}</h1>
<p>Sign in at ${provider} as <bdi>${userName}</bdi>, and allow this application to read the mailbox. ${provider} keeps the password. You can take the access back there at any time.</p>
<p><a class="button" href="${authorizationUrl}" rel="noreferrer">Continue with ${provider}</a></p>`,
      }),
    }
  }
}

/** Where the provider sends the owner back to (RFC 6749 section 4.1.2). */
export function finishConnecting(ctx: Context): WorkspaceHandler {
  return async (visit, { session }) => {
    const [state, code] = [visit.query('state').slice(0, 2000), visit.query('code').slice(0, 4000)]
    const refused = { redirectTo: MAILBOXES.href, flash: 'mailbox-not-connected' } as const
    if (code === '') return refused
    try {
      await ctx.inbox.finishMailboxConsent({ state, code }, asPerson(session, visit))
    } catch (error) {
      if (error instanceof StatusError && error.status === 'INVALID_ARGUMENT') return refused
      throw error
    }
    return { redirectTo: MAILBOXES.href, flash: 'mailbox-connected' }
  }
}
