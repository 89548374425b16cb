import { generateKeyPairSync } from 'node:crypto'
import test from 'ava'
import { createIdentity } from './identity.ts'

const keyPair = (service: string) => {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  const name = { kid: `${service}-1`, service, alg: 'EdDSA' }
  return {
    private: { ...privateKey.export({ format: 'jwk' }), ...name },
    public: { ...publicKey.export({ format: 'jwk' }), ...name },
  }
}
const auth = keyPair('auth')
const inbox = keyPair('inbox')
const keys = { keys: [auth.public, inbox.public] }
const principal = { personId: 'per_1', workspaceId: 'ws_1', credentialId: 'key_1' }

test('a principal that auth signed is believed everywhere', async (t) => {
  const token = await (await createIdentity(auth.private, keys)).principalToken(principal)
  t.deepEqual(await (await createIdentity(inbox.private, keys)).verify(token), { kind: 'principal', ...principal })
})

test('a service speaks for itself', async (t) => {
  const token = await (await createIdentity(inbox.private, keys)).serviceToken()
  t.deepEqual(await (await createIdentity(auth.private, keys)).verify(token), { kind: 'service', service: 'inbox' })
})

test('a principal signed by any other service is not believed', async (t) => {
  const forged = await (await createIdentity(inbox.private, keys)).principalToken(principal)
  await t.throwsAsync((await createIdentity(auth.private, keys)).verify(forged), { name: 'StatusError' })
})

test('a service cannot speak for another one', async (t) => {
  const forged = await (await createIdentity({ ...inbox.private, service: 'auth' }, keys)).serviceToken()
  await t.throwsAsync((await createIdentity(auth.private, keys)).verify(forged), { name: 'StatusError' })
})

for (const token of ['', 'x', 'a.b.c', 'eyJhbGciOiJub25lIn0.eyJzdWIiOiJhdXRoIn0.']) {
  test(`${JSON.stringify(token)} identifies nobody`, async (t) => {
    await t.throwsAsync((await createIdentity(auth.private, keys)).verify(token), { name: 'StatusError' })
  })
}
