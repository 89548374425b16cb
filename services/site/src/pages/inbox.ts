import type { MessageSummary } from '@family-inbox/proto/inbox/v1/inbox'
import type { Household, LovedOne } from '../household.ts'
import { type Html, html } from '../html.ts'
import type { ReaderClock } from '../http/reader-clock.ts'
import { type Page, roomPage } from '../layout/page.ts'
import { emptyState } from '../parts/empty-state.ts'
import { whenOf } from '../parts/moment.ts'

export type InboxData = {
  household: Household
  clock: ReaderClock
  /** Whose inbox it is; undefined for everyone’s. */
  lovedOne: LovedOne | undefined
  messages: MessageSummary[]
}

/** The mail of a loved one, or of all of them, newest first. */
export function inboxPage({ household, clock, lovedOne, messages }: InboxData): Page {
  const [only] = household.lovedOnes
  const title = `${(lovedOne ?? (household.lovedOnes.length === 1 ? only : undefined))?.name ?? 'Everyone'}’s inbox`
  const whose = { current: lovedOne?.id ?? '', hrefOf: (id: string) => (id ? `/inbox/${id}` : '/') }
  return roomPage(
    { place: 'inbox', household, whose },
    {
      title,
      main: html`<h1><bdi>${title}</bdi></h1>
${messages.length === 0 ? emptyState(NOTHING) : html`<ul class="people">${messages.map((message) => row(message, clock))}</ul>`}`,
    },
  )
}

const NOTHING = {
  title: 'No mail yet',
  text: 'Forward mail from doctors, pharmacies and agencies to the addresses in your care circle, and everybody sees it here.',
  action: { label: 'See the addresses', href: '/care-circle' },
}

function row({ subject, sender, preview, receivedAt }: MessageSummary, clock: ReaderClock): Html {
  return html`<li><div><h3><bdi>${subject}</bdi></h3>
<p><bdi>${sender?.name || sender?.address}</bdi>, ${receivedAt && whenOf(receivedAt, clock)}</p>
<p class="hint"><bdi>${preview}</bdi></p></div></li>`
}
