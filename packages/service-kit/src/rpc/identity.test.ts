import { generateKeyPairSync } from 'node:crypto'
import { mock } from 'node:test'
import test from 'ava'
import { AUDIENCES_OF, type Caller, createIdentity } from './identity.ts'

const keyPair = (service: string) => {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  const name = { kid: `${service}-1`, service, alg: 'EdDSA' }
  return {
    private: { ...privateKey.export({ format: 'jwk' }), ...name },
    public: { ...publicKey.export({ format: 'jwk' }), ...name },
  }
}
type Pair = ReturnType<typeof keyPair>
const auth = keyPair('auth')
const [inbox, site, gateway, careCircle] = ['inbox', 'site', 'gateway', 'care-circle'].map(keyPair) as [
  Pair,
  Pair,
  Pair,
  Pair,
]
const keys = { keys: [auth, inbox, site, gateway, careCircle].map((pair) => pair.public) }
const REFUSED = { name: 'StatusError', message: 'The caller could not be identified.' }
const principal = { personId: 'per_1', workspaceId: 'ws_1', credentialId: 'key_1' }

const identityOf = (pair: Pair) => createIdentity(pair.private, keys)

/** How a service identifies a call by another, optionally with a principal. */
async function identify(callee: Pair, caller: Pair, audience: string, brought?: string) {
  return (await identityOf(callee)).identify(await (await identityOf(caller)).serviceToken(audience), brought)
}

test('a principal is accepted from the service it was issued to', async (t) => {
  const token = await (await identityOf(auth)).principalToken(principal, 'site')
  const known = { kind: 'principal', ...principal, holder: 'site', audience: AUDIENCES_OF.site }
  t.deepEqual(await identify(inbox, site, 'inbox', token), known as Caller)
})

test('a service calls for itself', async (t) => {
  t.deepEqual(await identify(auth, inbox, 'auth'), { kind: 'service', service: 'inbox' })
})

test('a token for one service is rejected by another', async (t) => {
  const overheard = await (await identityOf(site)).serviceToken('inbox')
  await t.throwsAsync((await identityOf(auth)).identify(overheard), REFUSED)
})

test('a principal is rejected from any other service', async (t) => {
  const token = await (await identityOf(auth)).principalToken(principal, 'site')
  await t.throwsAsync(identify(auth, inbox, 'auth', token), REFUSED)
  await t.throwsAsync((await identityOf(auth)).identify(token), REFUSED)
  await t.throwsAsync((await identityOf(auth)).identify(token, token), REFUSED)
})

test('a principal is rejected by a service it is not meant for', async (t) => {
  const token = await (await identityOf(auth)).principalToken(principal, 'gateway')
  await t.throwsAsync(identify(auth, gateway, 'auth', token), REFUSED)
  t.is((await identify(inbox, gateway, 'inbox', token)).kind, 'principal')
})

test('a service may ask only about people whose principal it was given', async (t) => {
  const token = await (await identityOf(auth)).principalToken(principal, 'gateway')
  const circle = await identityOf(careCircle)
  t.is((await circle.verifyPrincipal(token, 'inbox')).personId, 'per_1')
  await t.throwsAsync(circle.verifyPrincipal(token, 'pipe'), REFUSED)
})

test('a principal signed by any other service is rejected', async (t) => {
  const forged = await (await identityOf(inbox)).principalToken(principal, 'site')
  await t.throwsAsync(identify(auth, site, 'auth', forged), REFUSED)
})

test('a service cannot impersonate another', async (t) => {
  const forger = await createIdentity({ ...inbox.private, service: 'auth' }, keys)
  await t.throwsAsync((await identityOf(site)).identify(await forger.serviceToken('site')), REFUSED)
})

test('a token signed in this process is rejected by a reader with another key of its signer', async (t) => {
  const other = keyPair('auth')
  const stranger = await createIdentity(inbox.private, { keys: [other.public, gateway.public] })
  const principalToken = await (await identityOf(auth)).principalToken(principal, 'gateway')
  const gatewayToken = await (await identityOf(gateway)).serviceToken('inbox')
  await t.throwsAsync(stranger.identify(gatewayToken, principalToken), REFUSED)
  t.deepEqual(await stranger.identify(gatewayToken), { kind: 'service', service: 'gateway' })
})

test.serial('a token is good for a minute and not a second longer', async (t) => {
  mock.timers.enable({ apis: ['Date'], now: Date.UTC(2026, 4, 12) })
  t.teardown(() => mock.timers.reset())
  const token = await (await identityOf(auth)).principalToken(principal, 'gateway')
  const reader = () => identityOf(careCircle)
  mock.timers.tick(59_999)
  t.is((await (await reader()).verifyPrincipal(token, 'gateway')).personId, 'per_1')
  mock.timers.tick(1)
  await t.throwsAsync((await reader()).verifyPrincipal(token, 'gateway'), REFUSED)
})

test('a notice names its signer and is valid only on its own subject', async (t) => {
  const token = await (await identityOf(inbox)).signNotice('removal.workspace', 'ws_1')
  const reader = await identityOf(auth)
  t.deepEqual(await reader.verifyNotice(token, 'removal.workspace'), { signer: 'inbox', id: 'ws_1' })
  await t.throwsAsync(reader.verifyNotice(token, 'removal.person'), REFUSED)
  await t.throwsAsync(
    reader.verifyNotice(await (await identityOf(inbox)).serviceToken('removal.workspace'), 'removal.workspace'),
    REFUSED,
  )
})

for (const token of ['', 'x', 'a.b.c', 'eyJhbGciOiJub25lIn0.eyJzdWIiOiJhdXRoIn0.']) {
  test(`${JSON.stringify(token)} is rejected`, async (t) => {
    await t.throwsAsync((await identityOf(auth)).identify(token), REFUSED)
  })
}
