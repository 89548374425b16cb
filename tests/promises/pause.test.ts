import { PAUSES, pauseOften } from './_pauses.ts'
import { openTwoGateways } from './_two-gateways.ts'

const test = openTwoGateways()

test('one assistant that was paused is refused at the next call', (t) => pauseOften(t, 48, PAUSES.assistant))

test('all assistants of a person who paused them are refused at the next call', (t) => pauseOften(t, 36, PAUSES.person))

test('all assistants of a family whose owner paused them are refused at the next call', (t) =>
  pauseOften(t, 36, PAUSES.family))
