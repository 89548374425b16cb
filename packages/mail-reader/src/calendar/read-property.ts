import { decodeCharset } from '../mime/charset.ts'
import { decodeTransfer } from '../mime/transfer-encoding.ts'
import { type Rule, readRule } from './read-rule.ts'
import { readTimeValue, type TimeValue } from './read-time-value.ts'

/** A line of a calendar file. What it has besides its text depends on its name. */
export type CalendarLine = {
  /** In lower case, as are the names of parameters. */
  name: string
  parameters: Record<string, string>
  text: string
  time?: TimeValue
  rule?: Rule
  /** A duration, or how far a zone is east of UTC. */
  seconds?: number
}

/** Longer than anybody reads. */
const MAX_TEXT_CHARS = 8192
const DURATION =
  /^([+-])?P(?=[\dT])(?:(\d{1,9})W)?(?:(\d{1,9})D)?(?:T(?=\d)(?:(\d{1,9})H)?(?:(\d{1,9})M)?(?:(\d{1,9})S)?)?$/
const OFFSET = /^([+-])(\d\d):?(\d\d)(?::?(\d\d))?/

type Read = (value: string) => Pick<CalendarLine, 'text' | 'rule' | 'seconds'> | undefined

/** All others are texts. */
const readers: Record<string, Read> = {
  organizer: readAddress,
  attendee: readAddress,
  url: readAddress,
  conference: readAddress,
  duration: readDuration,
  rrule: readRecurrence,
  exrule: readRecurrence,
  tzoffsetfrom: readOffset,
  tzoffsetto: readOffset,
}
const TIMES = new Set(['dtstart', 'dtend', 'due', 'dtstamp', 'recurrence-id', 'exdate', 'rdate'])

/**
 * Reads one line of a calendar file: what follows the name of its property. A list gives a line for each of its values,
 * and an empty line none.
 * @returns also whether something in it could not be read
 */
export function readProperty(name: string, rest: string): { properties: CalendarLine[]; isLost: boolean } {
  const { parameters, value } = splitLine(rest)
  if (value === undefined) return { properties: [], isLost: true }
  if (value.trim() === '') return { properties: [], isLost: false }
  if (TIMES.has(name)) return readTimes(name, parameters, value)
  const read = (readers[name] ?? readText)(decodeValue(value, parameters))
  return { properties: read ? [{ name, parameters, ...read }] : [], isLost: read === undefined }
}

const PARAMETER = /;([^=;:]*)(?:=[ \t]*(?:"([^"]*)"[^;:]*|([^;:]*)))?/y

/** In time that grows with the line. The value is undefined if there is none. */
function splitLine(rest: string): { parameters: Record<string, string>; value: string | undefined } {
  const parameters: Record<string, string> = {}
  let end = 0
  PARAMETER.lastIndex = 0
  for (let found = PARAMETER.exec(rest); found; found = PARAMETER.exec(rest)) {
    end = PARAMETER.lastIndex
    const [, name = '', quoted, plain = ''] = found
    parameters[name.trim().toLowerCase()] = unescapeParameter(quoted ?? plain)
  }
  return { parameters, value: rest[end] === ':' ? rest.slice(end + 1) : undefined }
}

const CARETS: Record<string, string> = { "^'": '"', '^n': '\n', '^^': '^' }

/** RFC 6868. */
function unescapeParameter(text: string): string {
  return text.replaceAll(/\^['n^]/g, (found) => CARETS[found] ?? found)
}

/** vCalendar 1.0 encodes texts, each in a charset of its own. */
function decodeValue(value: string, parameters: Record<string, string>): string {
  const encoding = 'quoted-printable' in parameters ? 'quoted-printable' : (parameters.encoding ?? '').toLowerCase()
  if (encoding !== 'quoted-printable' && encoding !== 'base64') return value
  return decodeCharset(decodeTransfer(Buffer.from(value.slice(0, MAX_TEXT_CHARS)), encoding), parameters.charset)
}

/** Each value alone: a list may mix days and times, and good and bad ones. */
function readTimes(name: string, parameters: Record<string, string>, written: string) {
  const { tzid, value } = splitZone(parameters.tzid, written)
  const { value: type = '', ...others } = parameters
  const kept = tzid === undefined ? others : { ...others, tzid }
  // vCalendar 1.0 lists with semicolons.
  const texts = value.split(/[,;]/).filter((text) => text.trim() !== '')
  const properties = texts.flatMap((text): CalendarLine[] => {
    // A period counts by its start.
    const time = readTimeValue(text.split('/', 1)[0] ?? '', type.toUpperCase() === 'DATE')
    return time ? [{ name, parameters: kept, text: text.slice(0, MAX_TEXT_CHARS), time }] : []
  })
  return { properties, isLost: properties.length < texts.length }
}

/** Some names of zones have a colon, and no quotes: `TZID=(UTC-05:00) Eastern Time`. */
function splitZone(tzid: string | undefined, value: string): { tzid: string | undefined; value: string } {
  const colon = tzid === undefined ? -1 : value.lastIndexOf(':')
  if (colon === -1 || /^[\d-]+T/.test(value)) return { tzid, value }
  return { tzid: `${tzid}:${value.slice(0, colon)}`, value: value.slice(colon + 1) }
}

function readText(value: string): ReturnType<Read> {
  const text = value.slice(0, MAX_TEXT_CHARS).replaceAll(/\\([\\;,nN])/g, (_, char: string) => {
    return char.toLowerCase() === 'n' ? '\n' : char
  })
  return { text }
}

function readAddress(value: string): ReturnType<Read> {
  return { text: value.slice(0, MAX_TEXT_CHARS).trim() }
}

const UNITS = [604_800, 86_400, 3600, 60, 1]

function readDuration(value: string): ReturnType<Read> {
  const text = value.trim().toUpperCase()
  const [, sign, ...amounts] = DURATION.exec(text) ?? []
  if (amounts.length === 0) return undefined
  const seconds = UNITS.reduce((sum, unit, index) => sum + unit * Number(amounts[index] ?? 0), 0)
  return { text, seconds: sign === '-' ? -seconds : seconds }
}

function readRecurrence(value: string): ReturnType<Read> {
  const rule = value.length > MAX_TEXT_CHARS ? undefined : readRule(value)
  return rule === undefined ? undefined : { text: value.trim(), rule }
}

function readOffset(value: string): ReturnType<Read> {
  const [text = '', sign, hours, minutes, seconds = 0] = OFFSET.exec(value.trim()) ?? []
  if (hours === undefined) return undefined
  const east = Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds)
  return { text, seconds: sign === '-' ? -east : east }
}
