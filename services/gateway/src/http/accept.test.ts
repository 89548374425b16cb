import test from 'ava'
import { wantsEventStream } from './accept.ts'

const asks = [
  'text/event-stream',
  'application/json, text/event-stream',
  'TEXT/Event-Stream;q=0.1',
  'a/b,text/event-stream ; q=0.001',
]
const doesNot = [
  undefined,
  '',
  '*/*',
  'text/*',
  'application/json',
  'text/event-stream;q=0',
  'text/event-stream; q=0.000',
  'text/event-streams',
]

for (const accept of asks) test(`Accept: ${accept} asks for an event stream`, (t) => t.true(wantsEventStream(accept)))
for (const accept of doesNot)
  test(`Accept: ${accept} does not ask for an event stream`, (t) => t.false(wantsEventStream(accept)))
