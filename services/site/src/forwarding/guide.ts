import { randomUUID } from 'node:crypto'
import { Role } from '@family-inbox/proto/carecircle/v1/care_circle'
import type { Context } from '../context.ts'
import { type Html, html } from '../shell/html.ts'
import { type Page, sectionPage } from '../shell/page.ts'
import { copyable, emptyState } from '../shell/parts.ts'
import { progress, STEPS } from '../shell/progress.ts'
import { asPerson } from '../shell/session.ts'
import { requireLovedOne, type WorkspaceHandler } from '../shell/workspace.ts'
import { arrivals, codeOf, type Forwarding, type GuideData, readForwarding } from './arrivals.ts'
import { PROVIDERS, STEPS_OF } from './provider.ts'

export function showGuide(ctx: Context): WorkspaceHandler {
  return async (visit, workspace) => {
    const lovedOne = requireLovedOne(workspace, visit.id('lovedOneId'))
    const forwarding = await readForwarding(ctx, visit, workspace, lovedOne)
    return { page: guidePage({ forwarding, clock: visit.clock, testKey: randomUUID() }) }
  }
}

export function sendTestMail(ctx: Context): WorkspaceHandler {
  return async (visit, workspace) => {
    const { id } = requireLovedOne(workspace, visit.id('lovedOneId'))
    const idempotencyKey = `form:${visit.field('key').slice(0, 100) || randomUUID()}`
    await ctx.inbox.sendTestMail({ lovedOneId: id, idempotencyKey }, asPerson(workspace.session, visit))
    return { redirectTo: `/forwarding/${id}#arrivals` }
  }
}

function guidePage({ forwarding, clock, testKey }: GuideData): Page {
  const { workspace, lovedOne, provider, state } = forwarding
  const { steps, everything, where } = STEPS_OF[provider]
  const title = `Forward ${lovedOne.name}’s mail`
  const arrived = arrivals({ forwarding, clock, testKey })
  const code = codeOf(forwarding)
  // Whoever set it up waits in another tab, or has the top of a small screen before them.
  const isFirst = state.hasMail || code !== undefined
  return sectionPage(
    { id: 'inbox', workspace },
    {
      title: code ? `Your code: ${code}` : title,
      isWide: true,
      main:
        state.address === ''
          ? noAddress(title, lovedOne.id)
          : html`${!state.hasMail && progress(STEPS, STEPS.length - 1)}
<h1><bdi>${title}</bdi></h1>
<div class="halves" id="guide">${isFirst && arrived}<div>
<p>This is <bdi>${lovedOne.name}</bdi>’s own address. Everyone in your care circle can read mail sent or forwarded to it.</p>
${copyable({ id: 'address', text: state.address, what: 'the address', look: 'large' })}
${
  !state.hasMail &&
  html`<p><strong>Start now:</strong> open any message about <bdi>${lovedOne.name}</bdi>, tap Forward, and send it to this address. It appears here.</p>
<h2>Then let new mail come without you</h2>`
}
<nav aria-label="Email provider"><ul class="pills">${PROVIDERS.map((one) => providerLink(one, forwarding))}</ul></nav>
<ol class="steps">${steps.map((step) => html`<li>${step}</li>`)}</ol>
${where && html`<p><a href="${where.href}" target="_blank" rel="noopener noreferrer">${where.label}</a></p>`}
${everything && wholeMailbox(everything)}
${workspace.role === Role.OWNER && html`<p class="hint">Can’t forward? <a href="/settings/mailboxes/add?for=${lovedOne.id}">Let us fetch the mail</a> from the mailbox instead.</p>`}
</div>
${!isFirst && arrived}
</div>`,
    },
  )
}

function providerLink({ provider, label }: (typeof PROVIDERS)[number], { lovedOne, provider: now }: Forwarding): Html {
  return html`<li><a href="/forwarding/${lovedOne.id}?with=${provider}"${provider === now && html` aria-current="true"`}>${label}</a></li>`
}

function wholeMailbox(steps: string[]): Html {
  return html`<details class="fold linked"><summary>Forward everything instead</summary>
<p class="notice">Everyone in your care circle, and the assistants they connect, can then read all your new mail: bank statements, private messages, and links that reset your passwords.</p>
<ol class="steps">${steps.map((step) => html`<li>${step}</li>`)}</ol>
</details>`
}

function noAddress(title: string, lovedOneId: string): Html {
  return html`<h1><bdi>${title}</bdi></h1>
${emptyState({
  title: 'No address yet',
  text: 'Get an address first. Then you can forward mail to it.',
  action: { label: 'Get an address', href: `/care-circle/loved-ones/${lovedOneId}` },
})}`
}
