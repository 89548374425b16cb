import { createPrivateKey, createPublicKey, sign, verify } from 'node:crypto'
import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test from 'ava'
import { identities, identityKeyFile, identityKeys, localSecret } from './secrets.ts'

async function withDataDir() {
  const dir = await mkdtemp(join(tmpdir(), 'family-inbox-secrets-'))
  return { dir, [Symbol.asyncDispose]: () => rm(dir, { recursive: true }) }
}

test('every identity signs with its own key, and the public keys verify the signature', async (t) => {
  await using data = await withDataDir()
  const { privateKeys, publicKeys } = await identityKeys(data.dir)
  for (const name of identities) {
    const { kid, service } = privateKeys[name]
    t.is(service, name)
    const publicKey = publicKeys.keys.find((key) => key.kid === kid)
    const signature = sign(null, Buffer.from('hello'), createPrivateKey({ key: privateKeys[name], format: 'jwk' }))
    const key = createPublicKey({ key: publicKey ?? {}, format: 'jwk' })
    t.true(verify(null, Buffer.from('hello'), key, signature))
  }
  t.is(new Set(publicKeys.keys.map(({ x }) => x)).size, identities.length)
})

test('the public keys contain no private key', async (t) => {
  await using data = await withDataDir()
  const { privateKeys, publicKeys } = await identityKeys(data.dir)
  t.false(JSON.stringify(publicKeys).includes(privateKeys.auth.d ?? 'missing'))
  for (const key of publicKeys.keys) t.false('d' in key)
})

test('the keys stay the same across starts', async (t) => {
  await using data = await withDataDir()
  t.deepEqual(await identityKeys(data.dir), await identityKeys(data.dir))
  t.is(await localSecret(data.dir, 'cookies', 'key'), await localSecret(data.dir, 'cookies', 'key'))
})

test('only the owner can read the secrets', async (t) => {
  await using data = await withDataDir()
  await identityKeys(data.dir)
  t.is((await stat(join(data.dir, 'secrets'))).mode & 0o777, 0o700)
  t.is((await stat(identityKeyFile(data.dir, 'auth'))).mode & 0o777, 0o600)
})

test('a secret key has 32 random bytes, and is different for each name', async (t) => {
  await using data = await withDataDir()
  t.is(Buffer.from(await localSecret(data.dir, 'cookies', 'key'), 'base64url').length, 32)
  t.not(await localSecret(data.dir, 'cookies', 'key'), await localSecret(data.dir, 'other', 'key'))
})
