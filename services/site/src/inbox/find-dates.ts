export type FoundDate = {
  /** Such as 2026-05-14. */
  day: string
  /** Such as 10:20. */
  time: string
}

/** Short and long forms in all languages, without accents. */
const MONTHS: readonly string[] = [
  'jan january ene enero januar janner janv janvier janeiro',
  'feb february febrero februar fevr fevrier fev fevereiro',
  'mar march marzo marz mars marco',
  'apr april abr abril avr avril',
  'may mayo mai maio',
  'jun june junio juni juin junho',
  'jul july julio juli juil juillet julho',
  'aug august ago agosto aout',
  'sep sept september septiembre septembre set setembro setiembre',
  'oct october octubre okt oktober octobre out outubro',
  'nov november noviembre novembre novembro',
  'dec december dic diciembre dez dezember decembre dezembro',
]
const MONTH_OF = new Map(MONTHS.flatMap((names, index) => names.split(' ').map((name) => [name, index + 1] as const)))

const DAY_MONTH =
  /(?<![\p{L}\d.:/-])(\d{1,2})(?:st|nd|rd|th|er|[.ºª°])?\s{0,2}(?:of\s|de\s|d['’])?(\p{L}{3,10})(?![\p{L}])\.?,?(?:\s(?:de\s|del\s)?(\d{4})(?!\d))?/giu
const MONTH_DAY = /(?<![\p{L}\d])(\p{L}{3,10})\.?\s(\d{1,2})(?:st|nd|rd|th)?(?![\d:.]\d|\d)(?:,?\s(\d{4})(?!\d))?/giu
const NUMBERS = /(?<![\d./-])(\d{1,2})([./])(\d{1,2})\2(\d{4}|\d{2})(?![\d/]|\.\d)/gu
const ISO = /(?<![\d-])(\d{4})-(\d{2})-(\d{2})(?!\d|-)/gu
const TIME = /(?<![\d:.,/])(\d{1,2})(?:([:.h])(\d{2}))?\s?(a\.?m\b\.?|p\.?m\b\.?|uhr\b|h\b)?(?!\d|[./:]\d|\s?%)/giu

/** A time is close to its date. */
const AFTER = 45
const BEFORE = 30
const MAX_TEXT = 20_000
const MAX_FOUND = 2
const MAX_DAYS_AHEAD = 550

export type NamedDay = { from: number; to: number; day: string }

/**
 * Dates with a time of day in the text of a mail, in English, Spanish, German, French or Portuguese, from the day it was
 * written on. What can be read in two ways, such as 5/6/2026, is left out.
 * @param writtenOn such as 2026-05-12
 */
export function findDates(text: string, writtenOn: string): FoundDate[] {
  const start = text.slice(0, MAX_TEXT)
  const found = new Map<string, FoundDate>()
  for (const { from, to, day } of findDays(start, writtenOn)) {
    const time = findTime(start.slice(to, to + AFTER)) ?? findTime(start.slice(Math.max(0, from - BEFORE), from))
    if (time !== undefined) found.set(`${day} ${time}`, { day, time })
    if (found.size === MAX_FOUND) break
  }
  return [...found.values()]
}

/** Days named with their month, in the order of the text. */
export function findDays(text: string, writtenOn: string): NamedDay[] {
  const all: NamedDay[] = []
  const add = (match: RegExpExecArray, year: string | undefined, month: number | undefined, day: string) => {
    const [from, to] = [match.index, match.index + match[0].length]
    if (month === undefined || all.some((one) => from < one.to && to > one.from)) return
    const named = nameDay(year, month, Number(day), writtenOn)
    if (named !== undefined) all.push({ from, to, day: named })
  }
  for (const match of text.matchAll(ISO)) add(match, match[1], Number(match[2]), match[3] ?? '')
  for (const match of text.matchAll(NUMBERS)) add(match, match[4], ...numbersOf(match))
  for (const match of text.matchAll(DAY_MONTH)) add(match, match[3], monthOf(match[2]), match[1] ?? '')
  for (const match of text.matchAll(MONTH_DAY)) add(match, match[3], monthOf(match[1]), match[2] ?? '')
  return all.sort((a, b) => a.from - b.from)
}

/** Dots mean that the day comes first. With slashes only a number above 12 tells. */
function numbersOf([, first = '', mark, second = '']: RegExpExecArray): [month: number | undefined, day: string] {
  if (mark === '.' || Number(first) > 12) return [Number(second), first]
  return Number(second) > 12 || first === second ? [Number(first), second] : [undefined, '']
}

function monthOf(name = ''): number | undefined {
  return MONTH_OF.get(foldWords(name))
}

/** Lower case without accents. */
export function foldWords(text: string): string {
  return text.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase()
}

/** Without a year, the next such day. Undefined for days that do not exist, are past, or too far ahead. */
export function nameDay(year: string | undefined, month: number, day: number, writtenOn: string): string | undefined {
  const thisYear = Number(writtenOn.slice(0, 4))
  const years = year === undefined ? [thisYear, thisYear + 1] : [Number(year.length === 2 ? `20${year}` : year)]
  const latest = Date.parse(`${writtenOn}T00:00:00Z`) + MAX_DAYS_AHEAD * 86_400_000
  const named = years.map((one) => new Date(Date.UTC(one, month - 1, day)))
  const wanted = named.find(
    (at) => at.getUTCMonth() === month - 1 && at.getTime() <= latest && at.toISOString().slice(0, 10) >= writtenOn,
  )
  return wanted?.toISOString().slice(0, 10)
}

function findTime(text: string): string | undefined {
  for (const [, hours = '', mark, minutes, word = ''] of text.matchAll(TIME)) {
    const isClear = mark === ':' || mark === 'h' || mark === 'H' || word !== ''
    const hour = readHour(Number(hours), word.toLowerCase())
    if (isClear && hour !== undefined && Number(minutes ?? 0) < 60)
      return `${String(hour).padStart(2, '0')}:${minutes ?? '00'}`
  }
  return undefined
}

function readHour(hour: number, word: string): number | undefined {
  if (!/^[ap]/.test(word)) return hour < 24 ? hour : undefined
  if (hour < 1 || hour > 12) return undefined
  return (hour % 12) + (word.startsWith('p') ? 12 : 0)
}
