import { html } from '../../html.ts'
import type { ReaderClock } from '../../http/reader-clock.ts'
import { inboxTitle } from '../../inbox/inbox-title.ts'
import { inboxPath } from '../../inbox/list-query.ts'
import type { MailList } from '../../inbox/read-list.ts'
import { type Page, type Room, roomPage } from '../../layout/page.ts'
import { listPane } from './list-pane.ts'

/** The mail of a loved one, or of all of them; on a desk a message opens beside it. */
export function inboxPage(list: MailList, clock: ReaderClock): Page {
  return roomPage(inboxRoom(list), {
    title: inboxTitle(list),
    isWide: true,
    main: html`<div class="panes">
${listPane({ list, clock, heading: 'h1' })}
<div class="pane beside"><p class="hint">Choose a message, and it opens here.</p></div>
</div>`,
  })
}

/** The room of a list of mail, and of the messages in it. */
export function inboxRoom({ household, query }: MailList): Room {
  const hrefOf = (id: string) => inboxPath(household.lovedOnes.find((one) => one.id === id))
  return { place: 'inbox', household, whose: { current: query.lovedOne?.id ?? '', hrefOf } }
}
