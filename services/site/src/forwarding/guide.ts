import { randomUUID } from 'node:crypto'
import type { Context } from '../context.ts'
import { copyable } from '../shell/copyable.ts'
import { emptyState } from '../shell/empty-state.ts'
import { type Html, html } from '../shell/html.ts'
import { type Page, sectionPage } from '../shell/page.ts'
import { progress, STEPS } from '../shell/progress.ts'
import type { ReaderClock } from '../shell/reader-clock.ts'
import { asPerson } from '../shell/session.ts'
import { requireLovedOne, type WorkspaceHandler } from '../shell/workspace.ts'
import { arrivals } from './arrivals.ts'
import { PROVIDERS, STEPS_OF } from './provider.ts'
import { type Forwarding, readForwarding } from './read-forwarding.ts'

/** Shows how to have a loved one's mail forwarded, and what has arrived so far. */
export function showGuide(ctx: Context): WorkspaceHandler {
  return async (visit, workspace) => {
    const lovedOne = requireLovedOne(workspace, visit.param('lovedOneId'))
    const forwarding = await readForwarding(ctx, visit, workspace, lovedOne)
    return { page: guidePage({ forwarding, clock: visit.clock, testKey: randomUUID() }) }
  }
}

/** Sends a mail to a loved one's address, so that the guide can say that it arrived. */
export function sendTestMail(ctx: Context): WorkspaceHandler {
  return async (visit, workspace) => {
    const { id } = requireLovedOne(workspace, visit.param('lovedOneId'))
    const idempotencyKey = `form:${visit.field('key').slice(0, 100) || randomUUID()}`
    await ctx.inbox.sendTestMail({ lovedOneId: id, idempotencyKey }, asPerson(workspace.session, visit))
    return { redirectTo: `/forwarding/${id}#arrivals` }
  }
}

export type GuideData = { forwarding: Forwarding; clock: ReaderClock; testKey: string }

/** How to have a loved one's mail forwarded here, which waits with the reader until it works. */
function guidePage({ forwarding, clock, testKey }: GuideData): Page {
  const { workspace, lovedOne, provider, state } = forwarding
  const { steps, where } = STEPS_OF[provider]
  const title = `Forward ${lovedOne.name}’s mail`
  return sectionPage(
    { id: 'inbox', workspace },
    {
      title,
      main:
        state.address === ''
          ? noAddress(title, lovedOne.id)
          : html`${!state.hasMail && progress(STEPS, STEPS.length - 1)}
<h1><bdi>${title}</bdi></h1>
<p>This is <bdi>${lovedOne.name}</bdi>’s own address. Mail that is sent or forwarded to it is read by everybody in your care circle.</p>
${copyable({ id: 'address', text: state.address, what: 'the address', look: 'large' })}
<nav aria-label="Where their mail is now"><ul class="pills">${PROVIDERS.map((one) => providerLink(one, forwarding))}</ul></nav>
<ol class="steps">${steps.map((step) => html`<li>${step}</li>`)}</ol>
${where && html`<p><a href="${where.href}" target="_blank" rel="noopener noreferrer">${where.label}</a></p>`}
${arrivals({ forwarding, clock, testKey })}`,
    },
  )
}

function providerLink({ provider, label }: (typeof PROVIDERS)[number], { lovedOne, provider: now }: Forwarding): Html {
  return html`<li><a href="/forwarding/${lovedOne.id}?with=${provider}"${provider === now && html` aria-current="true"`}>${label}</a></li>`
}

function noAddress(title: string, lovedOneId: string): Html {
  return html`<h1><bdi>${title}</bdi></h1>
${emptyState({
  title: 'There is no address yet',
  text: 'Mail can be forwarded here once there is an address for it.',
  action: { label: 'Get the address', href: `/care-circle/loved-ones/${lovedOneId}` },
})}`
}
