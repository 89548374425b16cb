import { DAY_MS } from '@family-inbox/service-kit/time/days'
import test from 'ava'
import { expandRule } from './expand-rule.ts'
import { readRule } from './read-rule.ts'

/** The first times of a rule, and the steps it took. */
function expand(written: string, start: string, from = start, until = '2040-01-01T00:00Z') {
  const rule = readRule(written)
  if (rule === undefined) return { found: ['unreadable'], steps: 0 }
  const steps = { left: 40_000 }
  const window = { from: Date.parse(from), until: Date.parse(until) }
  const found: string[] = []
  for (const at of expandRule(rule, Date.parse(start), window, steps)) {
    if (at >= window.from) found.push(new Date(at).toISOString().slice(0, 16))
    if (found.length === 5) break
  }
  return { found, steps: 40_000 - steps.left }
}

/** Examples of RFC 5545 section 3.8.5.3, and those that libraries get wrong. */
const RULES: [rule: string, start: string, days: string][] = [
  ['FREQ=MONTHLY;BYMONTH=1,3;COUNT=4', '2027-01-20T10:00Z', '2027-01-20 2027-03-20 2028-01-20 2028-03-20'],
  ['FREQ=MONTHLY;BYMONTH=5,9;COUNT=3', '2027-06-10T10:00Z', '2027-09-10 2028-05-10 2028-09-10'],
  ['FREQ=YEARLY', '2024-02-29T00:00Z', '2024-02-29 2028-02-29 2032-02-29 2036-02-29'],
  ['FREQ=MONTHLY', '2027-01-31T00:00Z', '2027-01-31 2027-03-31 2027-05-31 2027-07-31 2027-08-31'],
  ['FREQ=YEARLY;BYDAY=20MO', '1997-05-19T09:00Z', '1997-05-19 1998-05-18 1999-05-17 2000-05-15 2001-05-14'],
  ['FREQ=YEARLY;BYWEEKNO=20;BYDAY=MO', '1997-05-12T09:00Z', '1997-05-12 1998-05-11 1999-05-17 2000-05-15 2001-05-14'],
  [
    'FREQ=YEARLY;INTERVAL=4;BYMONTH=11;BYDAY=TU;BYMONTHDAY=2,3,4,5,6,7,8',
    '1996-11-05T09:00Z',
    '1996-11-05 2000-11-07 2004-11-02 2008-11-04 2012-11-06',
  ],
  [
    'FREQ=MONTHLY;BYDAY=FR;BYMONTHDAY=13',
    '1997-09-02T09:00Z',
    '1998-02-13 1998-03-13 1998-11-13 1999-08-13 2000-10-13',
  ],
  [
    'FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-2',
    '1997-09-29T09:00Z',
    '1997-09-29 1997-10-30 1997-11-27 1997-12-30 1998-01-29',
  ],
  ['FREQ=MONTHLY;BYDAY=MO,1TU', '2027-02-01T09:00Z', '2027-02-01 2027-02-02 2027-02-08 2027-02-15 2027-02-22'],
  [
    'FREQ=WEEKLY;INTERVAL=2;COUNT=4;BYDAY=TU,SU;WKST=MO',
    '1997-08-05T09:00Z',
    '1997-08-05 1997-08-10 1997-08-19 1997-08-24',
  ],
  [
    'FREQ=WEEKLY;INTERVAL=2;COUNT=4;BYDAY=TU,SU;WKST=SU',
    '1997-08-05T09:00Z',
    '1997-08-05 1997-08-17 1997-08-19 1997-08-31',
  ],
  [
    'FREQ=YEARLY;INTERVAL=3;COUNT=5;BYYEARDAY=1,100,200',
    '1997-01-01T09:00Z',
    '1997-01-01 1997-04-10 1997-07-19 2000-01-01 2000-04-09',
  ],
]

for (const [rule, start, days] of RULES)
  test(`a rule gives its dates: ${rule} from ${start}`, (t) => {
    t.is(
      expand(rule, start)
        .found.map((at) => at.slice(0, 10))
        .join(' '),
      days,
    )
  })

test('a rule of hours leaves out the hours and days that it does not name', (t) => {
  t.deepEqual(expand('FREQ=HOURLY;INTERVAL=3;BYHOUR=9,12;BYDAY=MO', '2027-01-18T09:00Z').found, [
    '2027-01-18T09:00',
    '2027-01-18T12:00',
    '2027-01-25T09:00',
    '2027-01-25T12:00',
    '2027-02-01T09:00',
  ])
  t.is(expand('FREQ=MINUTELY;INTERVAL=20;BYHOUR=9', '2027-01-18T09:00Z').found.join(' ').slice(-16), '2027-01-19T09:20')
})

test('an old series begins near today, in few steps', (t) => {
  const rules = ['FREQ=YEARLY', 'FREQ=MONTHLY', 'FREQ=WEEKLY;INTERVAL=2', 'FREQ=DAILY']
  for (const rule of rules) {
    const { found, steps } = expand(rule, '1901-01-21T00:00Z', '2027-01-01T00:00Z')
    t.is(found[0]?.slice(0, 4), '2027', rule)
    t.true(steps < 4000, `${rule} took ${steps} steps`)
  }
  t.is(expand('FREQ=YEARLY', '1941-01-21T00:00Z', '2026-12-01T00:00Z').found[0], '2027-01-21T00:00')
})

const ENDLESS = [
  'FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30',
  'FREQ=MONTHLY;BYMONTH=2;BYMONTHDAY=31',
  'FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30',
  'FREQ=HOURLY;BYMONTH=2;BYMONTHDAY=30',
  'FREQ=MINUTELY;BYMONTH=2;BYMONTHDAY=30',
  'FREQ=SECONDLY;BYMONTH=2;BYMONTHDAY=30',
  'FREQ=SECONDLY;INTERVAL=7;BYHOUR=3;BYMINUTE=61',
  'FREQ=SECONDLY;INTERVAL=60;BYSECOND=1',
  'FREQ=YEARLY;BYWEEKNO=53;BYMONTH=6',
  'FREQ=YEARLY;BYDAY=53MO;BYMONTH=1',
  'FREQ=DAILY;INTERVAL=999999999',
  'FREQ=YEARLY;INTERVAL=999999999',
  'FREQ=MONTHLY;BYMONTHDAY=1;BYSETPOS=-366',
  `FREQ=YEARLY;BYHOUR=${[...Array(24).keys()]};BYMINUTE=${[...Array(60).keys()]};BYSECOND=${[...Array(60).keys()]};BYSETPOS=366;BYDAY=MO,TU,WE,TH,FR,SA,SU`,
]
for (const rule of ENDLESS)
  test(`a rule without a near date ends after its steps: ${rule.slice(0, 60)}`, (t) => {
    const { steps } = expand(rule, '1997-01-02T09:00Z', '2026-11-01T00:00Z', '2028-11-01T00:00Z')
    t.true(steps <= 42_000, `${steps}`)
  })

test('what the rule does not say is as at its start, in a window of any size', (t) => {
  const { found } = expand(
    'FREQ=YEARLY',
    '2027-01-20T09:30Z',
    '2027-01-20T09:30Z',
    new Date(Date.UTC(2027, 0, 20) + DAY_MS).toISOString(),
  )
  t.deepEqual(found, ['2027-01-20T09:30'])
})
