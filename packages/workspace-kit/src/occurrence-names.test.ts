import test from 'ava'
import { findStart } from './occurrence-names.ts'

const at = (text: string) => new Date(`2027-01-${text}:00Z`)
const days = { kind: 'day' as const, starts: ['14T00:00', '21T00:00', '22T00:00'].map(at) }
const times = { kind: 'moment' as const, starts: ['20T15:00', '21T15:00', '22T15:00'].map(at) }
const clocks = { kind: 'local' as const, starts: ['20T15:00', '21T15:00', '22T15:00'].map(at) }

test('an occurrence has the name that its series gives it, whatever its mail calls it', (t) => {
  const moment = (text: string, day?: string) => ({
    at: at(text),
    day: day ? at(day) : undefined,
    kind: 'moment' as const,
  })
  // Midnight of the 21st in Berlin, Auckland and Honolulu.
  for (const name of ['20T23:00', '20T11:00', '21T10:00', '21T00:00'])
    t.deepEqual(findStart(moment(name), days), at('21T00:00'), name)
  t.deepEqual(findStart(moment('21T08:00', '21T05:00'), times), at('21T15:00'), 'a day in New York')
  t.deepEqual(findStart(moment('21T15:00', '20T15:00'), times), at('21T15:00'), 'it is one')
  t.deepEqual(findStart(moment('21T20:00'), clocks), at('21T15:00'), 'a UTC time')
})

test('a name of something else stays as it is', (t) => {
  for (const [name, series] of [
    [{ at: at('13T00:00'), day: undefined, kind: 'day' }, days],
    [{ at: at('20T00:00'), day: undefined, kind: 'moment' }, days],
    [{ at: at('21T14:00'), day: undefined, kind: 'moment' }, times],
    [{ at: at('21T14:00'), day: undefined, kind: 'local' }, clocks],
  ] as const)
    t.deepEqual(findStart(name, series), name.at)
})
