import type { CareEvent } from '@family-inbox/proto/carecircle/v1/care_circle'
import type { Context } from '../context.ts'
import { eventInWords } from './event-in-words.ts'
import { type Html, html } from './html.ts'
import { whenOf } from './moment.ts'
import type { ReaderClock } from './reader-clock.ts'
import { asPerson } from './session.ts'
import { type Visit, withTimeout } from './visit.ts'

/** No page waits longer for what is above it. */
const TIMEOUT_MS = 400

type LovedOne = { id: string; name: string }
type Reader = { session: Parameters<typeof asPerson>[0]; lovedOnes: LovedOne[]; hasUrgent?: boolean | undefined }
type Urgent = { lovedOne: LovedOne; newest: CareEvent; others: number }

/** What is urgent and nobody has taken, for the top of every page. Undefined if there is nothing, or it could not be read in time. */
export async function readUrgentBar(ctx: Context, visit: Visit, reader: Reader): Promise<Html | undefined> {
  const { session, lovedOnes, hasUrgent } = reader
  if (hasUrgent === false) return undefined
  const call = asPerson(session, withTimeout(visit, TIMEOUT_MS))
  const { events } = await ctx.careCircle.listUrgentEvents({}, call).catch(() => ({ events: [] }))
  const urgent = lovedOnes.flatMap((lovedOne) => {
    const [newest, ...others] = events.flatMap(({ lovedOneId, event }) =>
      event && lovedOneId === lovedOne.id ? [event] : [],
    )
    return newest ? [{ lovedOne, newest, others: others.length }] : []
  })
  if (urgent.length === 0) return undefined
  return html`<section class="urgent-bar" aria-label="Urgent">
<ul>${urgent.map((one) => urgentRow(one, visit.clock))}</ul>
</section>`
}

function urgentRow({ lovedOne, newest, others }: Urgent, clock: ReaderClock): Html {
  const { id, eventType, occurredAt, source, other } = newest
  return html`<li><div><strong class="urgent-word">Urgent</strong> <a href="/timeline/${lovedOne.id}"><bdi>${lovedOne.name}</bdi>: <bdi>${eventInWords(eventType, other?.texts)}</bdi></a>
<p class="hint">${occurredAt && html`${whenOf(occurredAt, clock)} · `}<bdi>${source}</bdi>${others > 0 && html` · and ${others} more`}</p></div>
<form method="post" action="/timeline/${lovedOne.id}/urgent"><input type="hidden" name="event" value="${id}"><button name="taken" value="1">I’m on it</button></form></li>`
}
