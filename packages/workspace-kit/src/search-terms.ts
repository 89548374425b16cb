import { shiftDay, startOfDay } from '@family-inbox/service-kit/time/calendar-day'

/** Where and when somebody searches. */
type Clock = { now: Date; timeZone: string }

export type SearchTerms = {
  /** Words, phrases in quotes and numbers, to find anywhere in a message. */
  words: string
  /** Names or addresses of senders. */
  from: string[]
  hasFile: boolean
  /** The first day, and the first day that is too late; empty for none. */
  since: string
  before: string
  problems: string[]
}

export const SEARCH_HELP =
  'You can also write from:name, has:file, after:2026-05-01, before:2026-06-01, or "exact words".'

const MAX_SENDERS = 4
const OPERATOR = /^(from|has|before|after):(.*)$/is
const TERM = /(?:(?:from|has|before|after):)?["“”„«][^"“”„«»]*["“”»]|[^\s"“”„«»]+/giv
const FILE = /^(?:files?|attachments?)$/i

/** Splits a search into its operators and words. An unknown operator is a word, such as 10:30. */
export function readSearchTerms(text: string, clock: Clock): SearchTerms {
  const terms: SearchTerms = { words: '', from: [], hasFile: false, since: '', before: '', problems: [] }
  const words: string[] = []
  for (const [term] of joinValues(text).matchAll(TERM)) {
    const [, name, value = ''] = OPERATOR.exec(term) ?? []
    if (name === undefined) words.push(term)
    else readOperator(terms, name.toLowerCase(), value.replaceAll(/["“”„«»]/g, '').trim(), clock)
  }
  return { ...terms, words: words.join(' ') }
}

/** Allows “from: name”. */
function joinValues(text: string): string {
  return text.replaceAll(/\b(from|has|before|after):[ \t]{1,3}/gi, '$1:')
}

function readOperator(terms: SearchTerms, name: string, value: string, clock: Clock): void {
  if (name === 'from') readSender(terms, value)
  else if (name !== 'has') readDate(terms, name, value, clock)
  else if (FILE.test(value)) terms.hasFile = true
  else terms.problems.push('“has:” takes “file”: has:file finds messages with attachments.')
}

function readDate(terms: SearchTerms, name: string, value: string, clock: Clock): void {
  const day = readDay(value, clock)
  if (day === undefined)
    terms.problems.push(
      `“${name}:” takes a date, such as ${name}:2026-05-01. ${value && `We can’t read “${value}”.`}`.trim(),
    )
  else if (name === 'after') terms.since = later(terms.since, day)
  else terms.before = earlier(terms.before, day)
}

function readSender(terms: SearchTerms, value: string): void {
  if (!/[\p{L}\p{N}]/u.test(value))
    terms.problems.push('“from:” takes a name or an address, such as from:clinic or from:"Dr. Osei".')
  else if (terms.from.length === MAX_SENDERS) terms.problems.push(`Search for at most ${MAX_SENDERS} senders together.`)
  else terms.from.push(value)
}

function later(one: string, other: string): string {
  return one > other ? one : other
}

function earlier(one: string, other: string): string {
  return one !== '' && one < other ? one : other
}

/** A year, a month or a day, with the year first or day.month.year; `today` or `yesterday`. @returns `YYYY-MM-DD` */
function readDay(value: string, clock: Clock): string | undefined {
  const word = value.toLowerCase()
  if (word === 'today' || word === 'yesterday') return shiftDay(todayOf(clock), word === 'today' ? 0 : -1)
  const [, year, month = '1', day = '1'] = /^(\d{4})(?:[-/.](\d{1,2}))?(?:[-/.](\d{1,2}))?$/.exec(value) ?? []
  if (year !== undefined) return validDay(year, month, day, clock)
  const [, first = '', second = '', last = ''] = /^(\d{1,2})[-/.](\d{1,2})[-/.](\d{4})$/.exec(value) ?? []
  // 3/4/2026 is in March or in April; 13/4/2026 and 3.4.2026 are clear.
  if (value.includes('.') || Number(first) > 12) return validDay(last, second, first, clock)
  return Number(second) > 12 || first === second ? validDay(last, first, second, clock) : undefined
}

function validDay(year: string, month: string, day: string, clock: Clock): string | undefined {
  const text = `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`
  return startOfDay(text, clock) && text
}

function todayOf({ now, timeZone }: Clock): string {
  return new Intl.DateTimeFormat('en-CA', { timeZone, year: 'numeric', month: '2-digit', day: '2-digit' }).format(now)
}
