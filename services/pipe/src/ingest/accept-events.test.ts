import test from 'ava'
import type { Envelope } from '../envelope/read-envelope.ts'
import { eventKey } from './accept-events.ts'

const body = Buffer.from('body')
const envelope = (more: Partial<Envelope> = {}) => ({ institutionId: 'a', ...more }) as Envelope

test('a signed id is the key, whatever the header and the rest of the body say', (t) => {
  const key = eventKey(envelope({ partnerEventId: '1' }), undefined, body)
  t.deepEqual(eventKey(envelope({ partnerEventId: '1' }), '2', Buffer.from('other')), key)
  t.is(key.bodyKey, undefined)
})

test('the header’s id gives the same key, and the bytes give a second one', (t) => {
  const signed = eventKey(envelope({ partnerEventId: '1' }), undefined, body)
  const unsigned = eventKey(envelope(), '1', body)
  t.is(unsigned._id, signed._id)
  t.is(unsigned.bodyKey, eventKey(envelope(), undefined, body).bodyKey)
  t.is(unsigned.bodyKey, eventKey(envelope(), '2', body).bodyKey)
})

test('each institution has its own keys, and an id never equals a body', (t) => {
  const ids = [
    eventKey(envelope({ partnerEventId: 'body' }), undefined, body),
    eventKey(envelope({ partnerEventId: 'body', institutionId: 'b' }), undefined, body),
    eventKey(envelope({ partnerEventId: '"]body', institutionId: 'a' }), undefined, body),
    eventKey(envelope(), undefined, body),
  ].map(({ _id }) => _id)
  t.is(new Set(ids).size, ids.length)
})
