import { Role } from '@family-inbox/proto/carecircle/v1/care_circle'
import type { Context } from '../context.ts'
import { type Html, html } from '../shell/html.ts'
import { listWords } from '../shell/parts.ts'
import { asPerson } from '../shell/session.ts'
import type { Workspace, WorkspaceHandler } from '../shell/workspace.ts'

/** For the owner: asks all members to refuse sign-in codes, and shows who did. */
export function passkeysSection(workspace: Workspace): Html | undefined {
  if (workspace.role !== Role.OWNER || workspace.members.length < 2) return undefined
  return html`<section class="aside" aria-labelledby="passkeys">
<h2 id="passkeys">Passkeys</h2>
${workspace.passkeysAsked ? asked(workspace) : notAsked()}
</section>`
}

function notAsked(): Html {
  return html`<p>You can ask everyone to sign in with a passkey only. Then reading someone’s email is not enough to open this inbox.</p>
<form method="post" action="/care-circle/passkeys"><button class="second" name="asked" value="yes">Ask everyone</button></form>`
}

function asked({ members, passkeyOnlyIds }: Workspace): Html {
  const missing = members.filter(({ personId }) => !passkeyOnlyIds.includes(personId))
  return html`<p>You ask everyone to sign in with a passkey only. ${
    missing.length === 0
      ? 'Everyone does.'
      : html`Not yet: <bdi>${listWords(missing.map(({ name }) => name))}</bdi>. They see a notice on every page.`
  }</p>
<form method="post" action="/care-circle/passkeys"><button class="second" name="asked" value="no">Stop asking</button></form>`
}

export function askForPasskeys(ctx: Context): WorkspaceHandler {
  return async (visit, { session }) => {
    const passkeysAsked = visit.field('asked') === 'yes'
    await ctx.careCircle.askForPasskeys({ passkeysAsked }, asPerson(session, visit))
    return { redirectTo: '/care-circle', flash: passkeysAsked ? 'passkeys-asked' : 'passkeys-not-asked' }
  }
}
