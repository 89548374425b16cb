import { type Html, html } from '../html.ts'

const day = new Intl.DateTimeFormat('en-GB', { weekday: 'short', day: 'numeric', month: 'short', timeZone: 'UTC' })
const full = new Intl.DateTimeFormat('en-GB', { dateStyle: 'full', timeStyle: 'short', timeZone: 'UTC' })

/** A day in words, "Tue, 12 May", with the full time for those who point at it. */
export function dayOf(moment: Date): Html {
  return html`<time datetime="${moment.toISOString()}" title="${full.format(moment)} UTC">${day.format(moment)}</time>`
}

/** A day and a time in words, for a page that is read within days. */
export function momentOf(moment: Date): Html {
  return html`<time datetime="${moment.toISOString()}">${full.format(moment)} UTC</time>`
}

/** A stretch of time as people say it: "1 minute", "2 hours". Rounded up, so that waiting it out is enough. */
export function durationOf(seconds: number): string {
  if (seconds <= 90) return amount(Math.max(1, Math.ceil(seconds)), 'second')
  if (seconds <= 90 * 60) return amount(Math.ceil(seconds / 60), 'minute')
  return amount(Math.ceil(seconds / 3600), 'hour')
}

function amount(count: number, unit: string): string {
  return count === 1 ? `1 ${unit}` : `${count} ${unit}s`
}
