import test from 'ava'
import fc from 'fast-check'
import { readEnvelope } from './read-envelope.ts'

const EVENT = {
  institution_id: 'sunrise',
  subject_ref: 'client-1',
  event_type: 'note_added',
  occurred_at: '2026-05-12T10:30:00+02:00',
  payload: { caregiver_id: 'c', note_text: 'x' },
}

test('an envelope is parsed, and its payload is the signed text', (t) => {
  const text = JSON.stringify(EVENT).replace('"note_text"', '"weight":2.50, "note_text"')
  t.deepEqual(readEnvelope(Buffer.from(text)), {
    envelope: {
      institutionId: 'sunrise',
      subjectRef: 'client-1',
      eventType: 'note_added',
      occurredAt: new Date('2026-05-12T08:30:00Z'),
      payload: '{"caregiver_id":"c","weight":2.50, "note_text":"x"}',
    },
  })
})

test('a problem names the field and never quotes its value', (t) => {
  for (const field of Object.keys(EVENT)) {
    const read = readEnvelope(Buffer.from(JSON.stringify({ ...EVENT, [field]: ['SECRET'] })))
    t.true('problem' in read && read.problem.startsWith(field) && !read.problem.includes('SECRET'), field)
  }
})

test('any bytes give an envelope or a problem', (t) => {
  const changed = fc
    .tuple(fc.nat(JSON.stringify(EVENT).length - 1), fc.uint8Array({ maxLength: 4 }))
    .map(([at, bytes]) =>
      Buffer.concat([
        Buffer.from(JSON.stringify(EVENT)).subarray(0, at),
        bytes,
        Buffer.from(JSON.stringify(EVENT)).subarray(at + 1),
      ]),
    )
  const any = fc.oneof(
    fc.uint8Array(),
    changed,
    fc.json().map((text) => Buffer.from(text)),
  )
  fc.assert(
    fc.property(any, (bytes) => {
      const read = readEnvelope(bytes)
      return 'problem' in read || typeof read.envelope.subjectRef === 'string'
    }),
    { numRuns: 2000 },
  )
  t.pass()
})
