import { Role } from '@family-inbox/proto/carecircle/v1/care_circle'
import type { Context } from '../context.ts'
import { type Html, html } from '../shell/html.ts'
import { asPerson } from '../shell/session.ts'
import type { Visit } from '../shell/visit.ts'
import type { Workspace } from '../shell/workspace.ts'

/** The one that is being connected may be there already. */
const FIRST = 1
const FEW = { pageSize: FIRST + 1, pageToken: '' }

/** For an owner who connects their first assistant. Off unless chosen, and the page works without it. */
export async function guardOffer(ctx: Context, visit: Visit, { session, role }: Workspace): Promise<Html | undefined> {
  if (role !== Role.OWNER) return undefined
  const on = asPerson(session, visit)
  const asked = [
    ctx.careCircle.getAssistantSettings({}, on),
    ctx.auth.listGrants(FEW, on),
    ctx.auth.listToolKeys(FEW, on),
  ] as const
  const found = await Promise.all(asked).catch(() => undefined)
  if (found === undefined) return undefined
  const [{ guarded }, { grants }, { keys }] = found
  if (guarded || grants.length + keys.length > FIRST) return undefined
  return html`<form class="notice" method="post" action="/settings/assistants">
<p>Mail can try to trick an assistant: you can let what it writes after it read mail from an unverified sender wait until a family member sends it.</p>
<input type="hidden" name="setting" value="guarded"><input type="hidden" name="value" value="on">
<button class="second">Turn on this guard</button>
</form>`
}
