import { generateKeyPairSync } from 'node:crypto'
import test from 'ava'
import { nkeyAuthenticator, nkeys } from 'nats'
import { natsLogin, natsSeed, natsUser } from './nats-identity.ts'

const serviceKey = { ...generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' }), service: 'inbox' }
const seed = Buffer.from(natsSeed(serviceKey))

test('a service logs in as the user of its seed', (t) => {
  t.is(natsUser(serviceKey), nkeys.fromSeed(seed).getPublicKey())
  const { authenticator, inboxPrefix } = natsLogin(serviceKey)
  t.is(inboxPrefix, '_INBOX.inbox')
  t.deepEqual([authenticator].flat()[0]?.('a nonce'), nkeyAuthenticator(seed)('a nonce'))
})
