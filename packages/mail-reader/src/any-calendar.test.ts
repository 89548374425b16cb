import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'ava'
import { createRandom, type Random, scaled } from '../../../tests/_random.ts'
import { type FileOfCalendar, type MailCalendar, readCalendarFiles } from './calendar/calendar-files.ts'
import { toInvitation } from './calendar/to-invitation.ts'

const NOW = new Date('2027-01-05T08:00:00Z')
/** Processor time, so that the limit holds on any machine. */
const MAX_MS = 2000

const FOLDER = join(import.meta.dirname, '../../../tests/appointments/odd-files')
const mails = readdirSync(FOLDER).map((name) => readFileSync(join(FOLDER, name), 'latin1'))
const LINES = [
  '',
  ' ',
  'BEGIN:VEVENT',
  'END:VEVENT',
  'BEGIN:VCALENDAR',
  'METHOD:CANCEL',
  'STATUS:CANCELED',
  'DTSTART;TZID=Nowhere:20270118T090000',
  'DTSTART;VALUE=DATE:20270118',
  'DTEND:19700101T000000Z',
  'DURATION:P9999W',
  'RRULE:FREQ=SECONDLY;BYMONTH=2;BYMONTHDAY=30',
  'RRULE:FREQ=YEARLY;COUNT=-1',
  'RDATE;VALUE=PERIOD:20270119T090000Z/PT1H',
  'EXDATE:20270118T090000Z',
  'RECURRENCE-ID;RANGE=THISANDFUTURE:20270118T090000Z',
  'X-WR-TIMEZONE:Europe/Lisbon',
  'SEQUENCE:99999999999999',
]

test('any damaged calendar is read in bounded time, and its card and its appointment say the same', (t) => {
  const random = createRandom()
  t.log(`TEST_SEED=${random.seed}`)
  let compared = 0
  for (let nth = 0; nth < scaled(1500, 50_000); nth += 1) {
    const raw = Buffer.from(mutate(pick(random, mails), random), 'latin1')
    const before = process.threadCpuUsage()
    const calendar = readCalendarFiles(raw, NOW)
    const { user, system } = process.threadCpuUsage(before)
    if ((user + system) / 1000 > MAX_MS) return t.fail(`seed ${random.seed} takes too long:\n${raw}`)
    for (const file of calendar.files) {
      const [shown, planned] = [cardOf(file), appointmentOf(file, calendar)]
      if (shown === undefined || planned === undefined) continue
      compared += 1
      if (shown !== planned) return t.fail(`seed ${random.seed}: ${shown}, but ${planned}:\n${raw}`)
    }
  }
  t.true(compared > 300, `${compared} compared`)
})

/** The card of a file with one event. A series shows its first date, whose appointments may be over. */
function cardOf(file: FileOfCalendar): string | undefined {
  const { invitation } = toInvitation(file)
  if (invitation === undefined || file.events.length !== 1 || file.events[0]?.recurring) return undefined
  const { start, location, state, link } = invitation
  return JSON.stringify([start.at ?? start.local, location.slice(0, 100), state === 'canceled', link])
}

function appointmentOf({ events: [event] }: FileOfCalendar, { planned }: MailCalendar): string | undefined {
  const [found, ...others] = planned.filter(({ uid }) => uid === event?.uid)
  const [at] = found?.starts ?? []
  if (found === undefined || at === undefined || others.length > 0 || event?.start === undefined) return undefined
  const day = at.toISOString().slice(0, 10)
  const start = { moment: at, day, local: at.toISOString().slice(0, 16) }[event.start.kind]
  return JSON.stringify([start, found.place.slice(0, 100), found.canceled, found.link])
}

function pick<One>(random: Random, list: readonly One[]): One {
  return list[random.between(0, list.length)] as One
}

function mutate(raw: string, random: Random): string {
  const lines = raw.split('\r\n')
  for (let changes = random.between(1, 4); changes > 0; changes -= 1) {
    const at = random.between(0, lines.length)
    const line = lines[at] ?? ''
    const cut = random.between(0, line.length + 1)
    const changed = [
      [],
      [line, line],
      [pick(random, LINES), line],
      [`${line.slice(0, cut)}\r\n${line.slice(cut)}`],
      [line.slice(0, cut)],
      [`${line.slice(0, cut)}${pick(random, ['"', ';', ':', ',', '\\', '=', '\xe9', '\0'])}${line.slice(cut)}`],
    ]
    lines.splice(at, 1, ...pick(random, changed))
  }
  return lines.join('\r\n')
}
