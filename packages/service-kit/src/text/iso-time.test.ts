import test from 'ava'
import { readIsoTime } from './iso-time.ts'

const MOMENT = new Date('2026-05-12T08:30:00Z')

for (const text of [
  '2026-05-12T08:30:00Z',
  '2026-05-12T08:30Z',
  '2026-05-12t08:30:00z',
  '2026-05-12T08:30:00.000000000Z',
  '2026-05-12T10:30:00+02:00',
  '2026-05-12T10:30:00+0200',
  '2026-05-12T10:30:00+02',
  '2026-05-11T23:00:00-09:30',
  '20260512T083000Z',
]) {
  test(`${text} is that moment`, (t) => {
    t.deepEqual(readIsoTime(text), MOMENT)
  })
}

for (const text of [
  '',
  '2026-05-12',
  '2026-05-12T08:30:00',
  '2026-05-12 08:30:00Z',
  '2026-02-30T08:30:00Z',
  '2026-13-01T08:30:00Z',
  '2026-05-12T24:30:00Z',
  '2026-05-12T08:61:00Z',
  '2026-05-12T08:30:00+25:00',
  '12 May 2026 08:30 GMT',
  '1778574600',
  ' 2026-05-12T08:30:00Z',
  '2026-05-12T08:30:00Z\n',
]) {
  test(`${JSON.stringify(text)} is not a time with a zone`, (t) => {
    t.is(readIsoTime(text), undefined)
  })
}
