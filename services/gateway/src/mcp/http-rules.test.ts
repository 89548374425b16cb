import test from 'ava'
import { wantsEventStream } from './http-rules.ts'

const accepted = [
  'text/event-stream',
  'application/json, text/event-stream',
  'TEXT/Event-Stream;q=0.1',
  'a/b,text/event-stream ; q=0.001',
]
const refused = [
  undefined,
  '',
  '*/*',
  'text/*',
  'application/json',
  'text/event-stream;q=0',
  'text/event-stream; q=0.000',
  'text/event-streams',
]

for (const accept of accepted)
  test(`Accept: ${accept} asks for an event stream`, (t) => t.true(wantsEventStream(accept)))
for (const accept of refused)
  test(`Accept: ${accept} does not ask for an event stream`, (t) => t.false(wantsEventStream(accept)))
