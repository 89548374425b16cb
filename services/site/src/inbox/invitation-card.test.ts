import { CalendarLoss, type Invitation, InvitationState } from '@family-inbox/proto/inbox/v1/inbox'
import test from 'ava'
import { eventTime } from '../appointments/appointment-words.ts'
import { calendarLosses, invitationCard, repetitionWords } from './invitation-card.ts'

const clock = { locale: 'en-GB', timeZone: 'Europe/Lisbon', now: new Date('2026-05-01T12:00:00Z') }
const at = (time: string) => ({ at: new Date(time), local: '' })
const day = (local: string) => ({ at: undefined, local })
const words = (start: Invitation['start'], end?: Invitation['end']) =>
  eventTime({ start, end }, clock).text.replaceAll(/<[^>]+>/g, '')

test('the time of an event is said once, in the reader’s zone', (t) => {
  t.is(words(at('2026-05-12T09:20:00Z')), 'Tue 12 May, 10:20')
  t.is(words(at('2026-05-12T09:20:00Z'), at('2026-05-12T09:50:00Z')), 'Tue 12 May, 10:20 to 10:50')
  t.is(words(at('2026-05-12T22:30:00Z'), at('2026-05-12T23:30:00Z')), 'Tue 12 May, 23:30 to Wed 13 May, 00:30')
  t.is(words(day('2026-05-12'), day('2026-05-12')), 'Tue 12 May')
  t.is(words(day('2026-05-12'), day('2026-05-14')), 'Tue 12 May to Thu 14 May')
  t.is(words(day('2026-05-12T10:20')), 'Tue 12 May, 10:20 (no time zone given)')
})

test('what repeats says how often', (t) => {
  t.is(repetitionWords({ frequency: 'weekly', interval: 1 }), 'Every week')
  t.is(repetitionWords({ frequency: 'daily', interval: 3 }), 'Every 3 days')
  t.is(repetitionWords({ frequency: '', interval: 1 }), '')
})

test('a canceled event says so in a word and offers no calendar', (t) => {
  const invitation: Invitation = {
    uid: '1',
    state: InvitationState.CANCELED,
    summary: '<b>Cardiology</b>',
    location: '',
    organizer: '',
    start: at('2026-04-12T09:20:00Z'),
    end: undefined,
    frequency: '',
    interval: 1,
    moreEvents: 2,
    link: '',
    note: '',
  }
  const { text } = invitationCard({ invitation, fileHref: '/x' }, clock)
  t.regex(text, />Canceled</)
  t.regex(text, /&#60;b&#62;Cardiology/)
  t.regex(text, /This date has passed/)
  t.regex(text, /2 more events/)
  t.notRegex(text, /calendar</)
  t.regex(
    invitationCard({ invitation: { ...invitation, state: InvitationState.CHANGED }, fileHref: '/x' }, clock).text,
    /Add to your calendar/,
  )
})

test('what a file does not tell is said once, and only those who may write are offered to add it', (t) => {
  const ids = { lovedOneId: 'lo_1', messageId: 'msg_1' }
  const words = (losses: CalendarLoss[], canWrite = true) =>
    calendarLosses({ cards: [], losses, ...ids, canWrite }).map(({ text }) => text)
  t.deepEqual(words([]), [])
  const [all = ''] = words([CalendarLoss.ALL])
  t.regex(
    all,
    /could not be read\. <a href="\/appointments\/new\?for=lo_1&#38;message=msg_1">Add the appointment yourself<\/a>\./,
  )
  t.notRegex(words([CalendarLoss.ALL], false)[0] ?? '', /href/)
  t.is(words([CalendarLoss.EVENTS, CalendarLoss.RULE, CalendarLoss.DETAILS]).length, 3)
})
