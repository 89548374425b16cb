import { PROVIDERS } from '../../forwarding/provider.ts'
import type { Forwarding } from '../../forwarding/read-forwarding.ts'
import { STEPS_OF } from '../../forwarding/steps-of.ts'
import { type Html, html } from '../../html.ts'
import type { ReaderClock } from '../../http/reader-clock.ts'
import { type Page, roomPage } from '../../layout/page.ts'
import { copyable } from '../../parts/copyable.ts'
import { emptyState } from '../../parts/empty-state.ts'
import { progress } from '../../parts/progress.ts'
import { STEPS } from '../../welcome/steps.ts'
import { arrivals } from './arrivals.ts'

export type GuideData = { forwarding: Forwarding; clock: ReaderClock; testKey: string }

/** How to have a loved one's mail forwarded here, which waits with the reader until it works. */
export function guidePage({ forwarding, clock, testKey }: GuideData): Page {
  const { household, lovedOne, provider, state } = forwarding
  const { steps, where } = STEPS_OF[provider]
  const title = `Forward ${lovedOne.name}’s mail`
  return roomPage(
    { place: 'inbox', household },
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
