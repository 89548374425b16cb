import { PAUSES, pauseOften } from './_pauses.ts'
import { openTwoGateways } from './_two-gateways.ts'

const test = openTwoGateways()

test('of a thousand pauses, 400 of one assistant hold from the next call on', (t) =>
  pauseOften(t, 400, PAUSES.assistant))

test('of a thousand pauses, 300 of all assistants of a person hold from the next call on', (t) =>
  pauseOften(t, 300, PAUSES.person))

test('of a thousand pauses, 300 of all assistants of a family hold from the next call on', (t) =>
  pauseOften(t, 300, PAUSES.family))
