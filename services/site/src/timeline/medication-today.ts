import { amount } from '@family-inbox/service-kit/text/format-wait'
import { type Html, html } from '../shell/html.ts'
import { calendarDay, timeOf, whenOf } from '../shell/moment.ts'
import type { ReaderClock } from '../shell/reader-clock.ts'
import type { LovedOne } from '../shell/workspace.ts'
import type { TimelineEvent } from './event.ts'
import { sentenceOf } from './sentence.ts'

export type DosesToday = {
  lovedOne: LovedOne
  count: number
  /** Today or earlier; undefined if none is known. */
  newest: TimelineEvent | undefined
}

/**
 * What was reported today about one person.
 * @param events newest first
 */
export function dosesToday(events: readonly TimelineEvent[], lovedOne: LovedOne, clock: ReaderClock): DosesToday {
  const doses = events.filter(
    (event) => event.details?.kind === 'med_administered' && event.lovedOne.id === lovedOne.id,
  )
  const isToday = ({ occurredAt }: TimelineEvent) => calendarDay(occurredAt, clock) === calendarDay(clock.now, clock)
  return { lovedOne, count: doses.filter(isToday).length, newest: doses[0] }
}

/** Said even when nothing came. That something was missed is never said: nobody reports it. */
export function dosesTodayWords({ count, newest }: DosesToday, clock: ReaderClock): Html {
  if (newest === undefined) return html`Nothing reported yet today.`
  const last = html`<bdi>${sentenceOf(newest)}</bdi>`
  if (count === 0)
    return html`Nothing reported yet today. <span class="hint">Last: ${last}, ${whenOf(newest.occurredAt, clock)}</span>`
  return html`${amount(count, 'dose')} reported today. <span class="hint">Last: ${last}, ${timeOf(newest.occurredAt, clock)}</span>`
}

/**
 * A line for each person.
 * @param events the newest ones, newest first
 * @param hasOlder whether more follow: then whose medication is not among today's may still have some
 */
export function medicationToday(
  events: readonly TimelineEvent[],
  lovedOnes: readonly LovedOne[],
  hasOlder: boolean,
  clock: ReaderClock,
): Html {
  const oldest = events.at(-1)?.occurredAt
  const isWhole = !hasOlder || oldest === undefined || calendarDay(oldest, clock) < calendarDay(clock.now, clock)
  const known = lovedOnes
    .map((lovedOne) => dosesToday(events, lovedOne, clock))
    .filter(({ newest }) => isWhole || newest !== undefined)
  return html`<section aria-labelledby="so-far"><h2 id="so-far">So far today</h2>
${known.map((doses) => html`<p>${lovedOnes.length > 1 && html`<bdi>${doses.lovedOne.name}</bdi>: `}${dosesTodayWords(doses, clock)}</p>`)}</section>`
}
