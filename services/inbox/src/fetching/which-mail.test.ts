import { DAY_MS } from '@family-inbox/service-kit/time/days'
import test from 'ava'
import { whichMail } from './which-mail.ts'

const now = new Date('2026-11-27T08:00:00Z')
const ago = (days: number) => new Date(now.getTime() - days * DAY_MS)
const rule = { senders: [], withEarlier: false, addedAt: ago(30) }
const mail = { uid: 7, size: 1000, from: 'desk@clinic.example', internalDate: ago(0), sentAt: ago(0) }
const position = { uidValidity: '1', lastUid: 3 }

test('a new message is fetched, unless it is too large or of somebody else', (t) => {
  t.is(whichMail(rule, position, mail, now), 'new')
  t.is(whichMail(rule, position, { ...mail, size: 29 * 1024 * 1024 }, now), 'tooLarge')
  const some = { ...rule, senders: ['@clinic.example', 'ana@family.example'] }
  for (const from of ['desk@Clinic.example', 'x@lab.clinic.example', 'ANA@family.example'])
    t.is(whichMail(some, position, { ...mail, from }, now), 'new', from)
  for (const from of ['', 'desk@notclinic.example', 'bob@family.example', 'clinic.example'])
    t.is(whichMail(some, position, { ...mail, from }, now), 'skipped', from)
  t.is(whichMail(some, position, { ...mail, from: 'x@shop.example', size: 1e9 }, now), 'skipped')
})

test('earlier mail comes as such, but not what the family would have deleted by now', (t) => {
  const earlier = { ...position, earlierBelow: 8 }
  t.is(whichMail(rule, earlier, { ...mail, internalDate: ago(400) }, now), 'earlier')
  t.is(whichMail(rule, earlier, { ...mail, internalDate: ago(400) }, now, 365), 'skipped')
  t.is(whichMail(rule, earlier, { ...mail, uid: 8 }, now, 365), 'new')
})

test('after all messages got new numbers, what was handled is left out by its dates', (t) => {
  const renumbered = { ...position, knownBelow: 8 }
  const checked = { ...rule, checkedAt: ago(1) }
  const verdict = (one: typeof rule & { checkedAt?: Date }, fields: Partial<typeof mail>) =>
    whichMail(one, renumbered, { ...mail, ...fields }, now)
  t.is(verdict(checked, { internalDate: ago(3) }), 'skipped', 'before it was last up to date')
  t.is(verdict(checked, { internalDate: ago(1.5) }), 'new', 'perhaps not: storing it again changes nothing')
  t.is(verdict(checked, { sentAt: ago(90) }), 'skipped', 'the server forgot when it came')
  t.is(verdict({ ...checked, withEarlier: true }, { sentAt: ago(90) }), 'new')
  t.is(verdict({ ...rule, withEarlier: true }, { internalDate: ago(90), sentAt: ago(90) }), 'earlier')
  t.is(verdict(checked, { uid: 8, internalDate: ago(90), sentAt: ago(90) }), 'new', 'it came since')
})
