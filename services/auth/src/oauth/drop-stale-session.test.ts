import type { IncomingMessage } from 'node:http'
import test from 'ava'
import type { Context } from '../context.ts'
import { hashSecret } from '../secret.ts'
import { findSignedInPerson } from './drop-stale-session.ts'

/** A database with one session, at this public address. */
function contextAt(inbox: string): Context {
  const findOne = ({ hash }: { hash: string }) => ({
    lean: async () => (hash === hashSecret('s3cret') ? { personId: 'per_1' } : null),
  })
  return { config: { urls: { inbox } }, sessions: { findOne } } as unknown as Context
}

const personOf = (inbox: string, cookie: string) =>
  findSignedInPerson(contextAt(inbox), { headers: { cookie } } as IncomingMessage)

test('on https, a session cookie without the __Host- prefix is ignored', async (t) => {
  const inbox = 'https://inbox.example'
  t.is(await personOf(inbox, '__Host-family_session=s3cret'), 'per_1')
  for (const cookie of [
    'family_session=s3cret',
    'a=b; family_session=s3cret',
    '__Secure-family_session=s3cret',
    'x__Host-family_session=s3cret',
    '__host-family_session=s3cret',
  ])
    t.is(await personOf(inbox, cookie), undefined, cookie)
  t.is(await personOf(inbox, 'family_session=s3cret; __Host-family_session=other'), undefined)
})

test('without TLS, the plain name counts', async (t) => {
  t.is(await personOf('http://localhost:8080', 'family_session=s3cret'), 'per_1')
  t.is(await personOf('http://localhost:8080', '__Host-family_session=s3cret'), undefined)
})
