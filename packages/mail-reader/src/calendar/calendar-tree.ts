import { calendarLines } from './calendar-text.ts'
import { type CalendarLine, readProperty } from './read-property.ts'

/** Where programs write the address of a video visit, in the order of trust in their meaning. */
export const MEETING_LINES = [
  'conference',
  'x-google-conference',
  'x-microsoft-skypeteamsmeetingurl',
  'x-microsoft-onlinemeetingexternallink',
  'x-microsoft-onlinemeetingconflink',
  'x-zoom-meetingurl',
  'x-zoom-meeting-url',
  'x-webex-meetingurl',
  'x-cisco-meetingurl',
  'x-meeting-url',
  'x-meetingurl',
  'x-conference-url',
]

/** A component as it is written, and the names of its lines that could not be read. */
export type CalendarNode = { name: string; properties: CalendarLine[]; children: CalendarNode[]; lost: Set<string> }

export function first({ properties }: CalendarNode, name: string): CalendarLine | undefined {
  return properties.find((line) => line.name === name)
}

const EVENT_LINES = new Set(
  [
    'uid dtstamp dtstart dtend duration rrule rdate exdate exrule recurrence-id sequence status summary location',
    'organizer attendee description url conference x-microsoft-cdo-alldayevent',
    ...MEETING_LINES,
  ].flatMap((names) => names.split(' ')),
)
const CHANGE_LINES = new Set(['dtstart', 'rrule', 'rdate', 'tzoffsetfrom', 'tzoffsetto'])
/** Which lines are read; the rest is for other programs. */
const USED = new Map<string, Set<string>>(
  Object.entries({
    // A start without an event: its first line is missing.
    vcalendar: new Set(['method', 'dtstart', 'x-wr-timezone']),
    vevent: EVENT_LINES,
    vtodo: new Set(['summary', 'due', 'status']),
    vtimezone: new Set(['tzid']),
    standard: CHANGE_LINES,
    daylight: CHANGE_LINES,
  }),
)
/** A reminder has these, too. Other lines of an event say that the end of the reminder is missing. */
const REMINDER_LINES = new Set(['uid', 'duration', 'summary', 'attendee', 'description', 'url'])

const OTHERS = ['vtodo', 'vjournal', 'vfreebusy']
/** How deep a component is. One that begins ends those that are as deep or deeper. */
const DEPTHS = new Map(
  [['vcalendar'], ['vevent', 'vtimezone', ...OTHERS], ['standard', 'daylight', 'valarm']].flatMap((names, depth) =>
    names.map((name) => [name, depth]),
  ),
)
/** Nobody nests deeper, and each end is searched in all that are open. */
const MAX_DEPTH = 8
const MAX_NAME_CHARS = 30
const LINE = /^[\s\ufeff]*([a-z\d-]{1,60})[ \t]*(?=[:;]|$)/i

/** The calendars of a file, whatever begins without an end or ends without a beginning; and whether something else is planned in it. */
export function readTree(text: string): { calendars: CalendarNode[]; others: boolean } {
  const calendars: CalendarNode[] = []
  let others = false
  let open: CalendarNode[] = []
  for (const line of calendarLines(text)) {
    const [start = '', written = ''] = LINE.exec(line) ?? []
    const name = written.toLowerCase()
    const rest = line.slice(start.length)
    const component = rest
      .slice(1, 1 + MAX_NAME_CHARS)
      .trim()
      .toLowerCase()
    if (name === 'begin') {
      open = open.slice(0, DEPTHS.get(component) ?? open.length)
      others ||= OTHERS.includes(component)
      if (open.length < MAX_DEPTH) begin(component)
    } else if (name === 'end') {
      const index = open.findLastIndex((node) => node.name === component)
      if (index !== -1) open = open.slice(0, index)
    } else addLine(name, rest)
  }
  return { calendars, others }

  function begin(name: string) {
    const node: CalendarNode = { name, properties: [], children: [], lost: new Set() }
    if (name === 'vevent' && open.length === 0) begin('vcalendar')
    if (name === 'vcalendar') calendars.push(node)
    open.at(-1)?.children.push(node)
    open = [...open, node]
  }

  function addLine(name: string, rest: string) {
    if (open.at(-1)?.name === 'valarm' && EVENT_LINES.has(name) && !REMINDER_LINES.has(name)) open = open.slice(0, -1)
    const node = open.at(-1)
    if (node === undefined || !USED.get(node.name)?.has(name)) return
    const { properties, isLost } = readProperty(name, rest)
    for (const property of properties) node.properties.push(property)
    if (isLost) node.lost.add(name)
  }
}
