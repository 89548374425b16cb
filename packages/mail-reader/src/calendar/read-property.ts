import { readRule } from './read-rule.ts'
import { readTimeValue } from './read-time-value.ts'

/** A property as jCal writes it (RFC 7265 section 3.4): name, parameters, type, value. */
export type JCalProperty = [name: string, parameters: Record<string, string>, type: string, value: unknown]

/** Longer than anybody reads. */
const MAX_TEXT_CHARS = 8192
const DURATION = /^[+-]?P(?=[\dT])(?:\d{1,9}W)?(?:\d{1,9}D)?(?:T(?=\d)(?:\d{1,9}H)?(?:\d{1,9}M)?(?:\d{1,9}S)?)?$/
const OFFSET = /^([+-]\d\d):?(\d\d)/

type Read = (value: string) => Value | undefined
type Value = { type: string; value: unknown }

const readers: Record<string, Read> = {
  method: readText,
  uid: readText,
  summary: readText,
  location: readText,
  status: readText,
  sequence: readText,
  tzid: readText,
  organizer: readAddress,
  attendee: readAddress,
  duration: readDuration,
  rrule: readRecurrence,
  tzoffsetfrom: readOffset,
  tzoffsetto: readOffset,
}
const TIMES = new Set(['dtstart', 'dtend', 'dtstamp', 'recurrence-id', 'exdate', 'rdate'])

/**
 * Reads one line of a calendar file: what follows the name of its property. A list gives a property for each of its values,
 * and an empty line none.
 * @returns also whether something in it could not be read
 */
export function readProperty(name: string, rest: string): { properties: JCalProperty[]; isLost: boolean } {
  const { parameters, value } = splitLine(rest)
  if (value === undefined) return { properties: [], isLost: true }
  if (value.trim() === '') return { properties: [], isLost: false }
  if (TIMES.has(name)) return readTimes(name, parameters, value)
  const read = readers[name]?.(value)
  return { properties: read ? [[name, parameters, read.type, read.value]] : [], isLost: read === undefined }
}

const PARAMETER = /;([^=;:]*)(?:=[ \t]*(?:"([^"]*)"[^;:]*|([^;:]*)))?/y

/** In time that grows with the line, unlike the library's. The value is undefined if there is none. */
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

/** Each value alone: a list may mix days and times, and good and bad ones. */
function readTimes(name: string, parameters: Record<string, string>, written: string) {
  const { tzid, value } = splitZone(parameters.tzid, written)
  const { value: type = '', ...others } = parameters
  const kept = tzid === undefined ? others : { ...others, tzid }
  const texts = value.split(',').filter((text) => text.trim() !== '')
  const properties = texts.flatMap((text): JCalProperty[] => {
    // Of a period, when it starts.
    const read = readTimeValue(text.split('/', 1)[0] ?? '', type.toUpperCase() === 'DATE')
    return read ? [[name, kept, read.includes('T') ? 'date-time' : 'date', read]] : []
  })
  return { properties, isLost: properties.length < texts.length }
}

/** Some names of zones have a colon, and no quotes: `TZID=(UTC-05:00) Eastern Time`. */
function splitZone(tzid: string | undefined, value: string): { tzid: string | undefined; value: string } {
  const colon = tzid === undefined ? -1 : value.lastIndexOf(':')
  if (colon === -1 || /^[\d-]+T/.test(value)) return { tzid, value }
  return { tzid: `${tzid}:${value.slice(0, colon)}`, value: value.slice(colon + 1) }
}

function readText(value: string): Value {
  const text = value.slice(0, MAX_TEXT_CHARS).replaceAll(/\\([\\;,nN])/g, (_, char: string) => {
    return char.toLowerCase() === 'n' ? '\n' : char
  })
  return { type: 'text', value: text }
}

function readAddress(value: string): Value {
  return { type: 'cal-address', value: value.slice(0, MAX_TEXT_CHARS).trim() }
}

function readDuration(value: string): Value | undefined {
  const text = value.trim().toUpperCase()
  return DURATION.test(text) ? { type: 'duration', value: text } : undefined
}

function readRecurrence(value: string): Value | undefined {
  const rule = value.length > MAX_TEXT_CHARS ? undefined : readRule(value)
  return rule === undefined ? undefined : { type: 'recur', value: rule }
}

function readOffset(value: string): Value | undefined {
  const [, hours, minutes] = OFFSET.exec(value.trim()) ?? []
  return hours === undefined ? undefined : { type: 'utc-offset', value: `${hours}:${minutes}` }
}
