import { isTimeZone, toWallTime } from '@family-inbox/service-kit/time/time-zone'
import windowsIana from 'windows-iana'

/** A place’s time zone by its IANA name, or minutes east of UTC. */
export type NamedZone = string | number

const WINDOWS = new Map(
  windowsIana.WINDOWS_TO_IANA_MAP.filter(({ territory }) => territory === '001').map(({ windowsName, iana }) => [
    windowsName.toLowerCase(),
    iana[0],
  ]),
)
/** Names that the package lacks, or has as they were before clocks changed in Mexico (2022) and Kazakhstan (2024); from CLDR 46. */
const OWN: Record<string, string> = {
  'central asia standard time': 'Asia/Bishkek',
  'mountain standard time (mexico)': 'America/Mazatlan',
  'mid-atlantic standard time': 'Etc/GMT+2',
  'kamchatka standard time': 'Asia/Kamchatka',
  'mexico standard time': 'America/Mexico_City',
  'mexico standard time 2': 'America/Mazatlan',
}
/** No zone of the IANA list is named so. */
const ABBREVIATIONS: Record<string, string> = {
  edt: 'America/New_York',
  cdt: 'America/Chicago',
  mdt: 'America/Denver',
  pst: 'America/Los_Angeles',
  pdt: 'America/Los_Angeles',
  cst: 'America/Chicago',
  bst: 'Europe/London',
  ist: 'Asia/Kolkata',
  jst: 'Asia/Tokyo',
  aest: 'Australia/Sydney',
  aedt: 'Australia/Sydney',
  cest: 'Europe/Berlin',
  eest: 'Europe/Athens',
  west: 'Europe/Lisbon',
  'coordinated universal time': 'UTC',
  'greenwich mean time': 'Europe/London',
  z: 'UTC',
}
const MAX_NAME_CHARS = 200

/**
 * The zone that a name means without doubt: an IANA or Windows name, however it is spelled, also after the prefix of a program,
 * such as `/freeassociation.sourceforge.net/Europe/Berlin` and `tzone://Microsoft/Utc`.
 */
export function findZone(written: string): string | undefined {
  const name = clean(written)
  const exact = fromWindows(name) ?? ianaOf(name)
  if (exact !== undefined || !name.includes('/')) return exact
  const parts = name.split('/').filter((part) => part !== '')
  for (let index = 0; index < Math.min(parts.length, 6); index += 1) {
    const rest = parts.slice(index).join('/')
    const found = fromWindows(rest) ?? ianaOf(rest)
    if (found !== undefined) return found
  }
  return undefined
}

/**
 * Guesses a zone by a name without a definition: how Windows shows a zone, such as `(UTC-05:00) Eastern Time (US & Canada)`;
 * cities; an abbreviation; an offset alone. An offset beside an unknown name means nothing: it may change in summer.
 */
export function guessZone(written: string): NamedZone | undefined {
  const name = clean(written)
  const [shown = '', offset = ''] = /^\(([^()]{0,20})\)/.exec(name) ?? []
  if (shown === '') return offsetOf(name) ?? fromWords(name)
  const minutes = offsetOf(offset)
  const rest = name.slice(shown.length).trim()
  if (rest === '') return minutes
  const found = fromWords(rest)
  return found === undefined || minutes === undefined || minutes === standardOffset(found)
    ? found
    : otherCity(rest, minutes)
}

function clean(written: string): string {
  return written.slice(0, MAX_NAME_CHARS).replaceAll(/["\\]/g, '').replaceAll(/\s+/g, ' ').trim()
}

function fromWindows(name: string): string | undefined {
  const key = name.toLowerCase()
  return Object.hasOwn(OWN, key) ? OWN[key] : WINDOWS.get(key)
}

/** Names with three letters. `Intl` knows others that mean something else to most people, such as BST for Bangladesh. */
const SHORT = /^(?:UTC|UCT|GMT|EST|MST|HST|CET|MET|EET|WET|PRC|ROC|ROK)$/i

/** Some programs write `US-Eastern` and `America/New York`. */
function ianaOf(name: string): string | undefined {
  if (name.length === 3 && !SHORT.test(name)) return undefined
  const spellings = [name, name.replaceAll(' ', '_'), name.replace(/[-_ ]/, '/').replaceAll(' ', '_')]
  return spellings.find((spelling) => /^[a-z]/i.test(spelling) && isTimeZone(spelling))
}

/** In minutes, of `UTC+01:00`, `GMT-5` and `+0530`; of `UTC` 0. */
function offsetOf(written: string): number | undefined {
  if (/^(?:UTC|GMT)$/i.test(written.trim())) return 0
  const [, sign, hours, minutes = '0'] = /^(?:UTC|GMT)?[ ]?([+-])(\d{1,2})[:.]?(\d\d)?$/i.exec(written.trim()) ?? []
  if (sign === undefined || Number(hours) > 14 || Number(minutes) > 59) return undefined
  return (Number(hours) * 60 + Number(minutes)) * (sign === '-' ? -1 : 1)
}

function fromWords(words: string): string | undefined {
  const key = words.toLowerCase()
  if (Object.hasOwn(ABBREVIATIONS, key)) return ABBREVIATIONS[key]
  const [region = ''] = words.split(/ ?[(:;]/)
  return fromRegion(region.trim()) ?? citiesOf(words)[0]
}

/** `Eastern Time`, `Central European Summer Time`, `Arizona`, `W. Europe`. */
function fromRegion(region: string): string | undefined {
  const plain = region.replace(/(?: (?:standard|daylight|summer))? time$/i, '')
  const ofCountries = ['US', 'Canada'].map((country) => `${country}/${plain.replaceAll(' ', '_')}`)
  return fromWindows(`${plain} Standard Time`) ?? fromWindows(`${plain}n Standard Time`) ?? ofCountries.find(isTimeZone)
}

/** By the names of cities, in lower case. Made when it is first asked for. */
let cities: Map<string, string> | undefined

function readCities(): Map<string, string> {
  const names = [
    ...windowsIana.IANA_ALIAS_MAP.flatMap(({ alias }) => alias),
    ...Intl.supportedValuesOf('timeZone'),
  ].filter((name) => /^(?:Africa|America|Asia|Atlantic|Australia|Europe|Indian|Pacific)\//.test(name))
  return new Map(
    names.map((name) => [
      name
        .slice(name.lastIndexOf('/') + 1)
        .replaceAll('_', ' ')
        .toLowerCase(),
      name,
    ]),
  )
}

function citiesOf(words: string): string[] {
  cities ??= readCities()
  const known = cities
  return words.split(/[,:;/]/).flatMap((word) => known.get(word.trim().toLowerCase()) ?? [])
}

/** Another of the cities has the offset: `La Paz` is in Mexico and in Bolivia. */
function otherCity(words: string, minutes: number): string | undefined {
  return citiesOf(words).find((zone) => isTimeZone(zone) && standardOffset(zone) === minutes)
}

/** In winter, in minutes. */
function standardOffset(zone: string): number {
  const offsets = [0, 6].map((month) => {
    const at = Date.UTC(2026, month, 15)
    return (toWallTime(new Date(at), zone) - at) / 60_000
  })
  return Math.min(...offsets)
}
