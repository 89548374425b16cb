import test from 'ava'
import { findDates } from './find-dates.ts'

const WRITTEN = '2026-05-02'
const found = (text: string, writtenOn = WRITTEN) => findDates(text, writtenOn).map(({ day, time }) => `${day} ${time}`)

const MAY_14 = ['2026-05-14 10:20']

test('finds a date with a time as English mail writes it', (t) => {
  for (const text of [
    'We see you on 14 May, 10:20.',
    'Your appointment is on Thursday, May 14, 2026 at 10:20 AM with Dr. Weber.',
    'Thu 14th of May 2026 at 10:20am',
    'May 14th at 10:20 a.m.',
    'Please come at 10:20 on 14 May 2026.',
    '2026-05-14 10:20',
    'Date: 14/05/2026\nTime: 10:20',
    'on 05/14/2026 @ 10:20 am',
  ])
    t.deepEqual(found(text), MAY_14, text)
  t.deepEqual(found('Thursday, May 14 at 2 pm'), ['2026-05-14 14:00'])
  t.deepEqual(found('May 14, 12:15 pm'), ['2026-05-14 12:15'])
  t.deepEqual(found('May 14, 12:15 am'), ['2026-05-14 00:15'])
})

test('finds it in Spanish, German, French and Portuguese', (t) => {
  for (const text of [
    'Su cita es el jueves 14 de mayo de 2026 a las 10:20 h.',
    'Su cita: mar. 14 mayo, 10:20',
    'Ihr Termin: Donnerstag, 14. Mai 2026 um 10:20 Uhr',
    'Ihr Termin am 14.05.2026 um 10.20 Uhr',
    'Ihr Termin am 14.5.26, 10:20',
    'Votre rendez-vous est le jeudi 14 mai 2026 à 10h20.',
    'le 14 mai à 10 h 20'.replace(' h ', 'h'),
    'A sua consulta é a 14 de maio de 2026, às 10h20.',
    'Consulta: 14/05/2026 às 10:20',
  ])
    t.deepEqual(found(text), MAY_14, text)
  t.deepEqual(found('am 3. März um 9 Uhr', '2026-02-20'), ['2026-03-03 09:00'])
  t.deepEqual(found('le 1er août à 9h'), ['2026-08-01 09:00'])
  t.deepEqual(found('15 de diciembre a las 18:05'), ['2026-12-15 18:05'])
})

test('a date without a year is the next one', (t) => {
  t.deepEqual(found('5 January, 9:00', '2026-12-20'), ['2027-01-05 09:00'])
  t.deepEqual(found('2 May, 9:00'), ['2026-05-02 09:00'])
})

test('offers nothing that may be wrong', (t) => {
  for (const text of [
    'Call us on 5/6/2026 at 10:20',
    'Your visit on 14 May cost 10.20 dollars',
    'Your visit on 14 April 2026 at 10:20',
    'On 31 June at 10:20',
    'On 14 May we are closed',
    'Invoice 14 Maybe 10:20',
    'Ref 2026-05-14-0010:20',
    'On 14 May 2036 at 10:20',
    '10:20',
    '14 May, 25:20',
    '',
  ])
    t.deepEqual(found(text), [], text)
})

test('finds at most two, each once', (t) => {
  t.deepEqual(found('14 May 10:20. Again: May 14, 10:20. 15 May 9:00. 16 May 9:00'), [
    '2026-05-14 10:20',
    '2026-05-15 09:00',
  ])
})
