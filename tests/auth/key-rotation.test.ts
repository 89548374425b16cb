import { createPublicKey, generateKeyPairSync, type JsonWebKey, randomBytes, verify } from 'node:crypto'
import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import anyTest, { type TestFn } from 'ava'
import { send } from '../_family.ts'
import { type AuthStack, startAuthStack } from './_auth.ts'
import {
  authenticate,
  authorizeUrl,
  Browser,
  type Client,
  callbackOf,
  decide,
  getCode,
  interactionIn,
  newPkce,
  type Pkce,
  redeem,
  refresh,
  registered,
} from './_oauth.ts'
import { type Member, signInMember } from './_people.ts'

type Secrets = { cookies: string[]; signing: JsonWebKey[] }
type Begun = { browser: Browser; client: Client; pkce: Pkce; interaction: string }

const OPENID = { scope: 'openid profile:read' }

const test = (anyTest as TestFn<{ person: Member; old: AuthStack; both: AuthStack; renewed: AuthStack }>).serial

/** The same service before its keys are replaced, while the old ones are still accepted, and after they are removed. */
test.before(async (t) => {
  const before = { cookies: [randomBytes(32).toString('base64url')], signing: [signingKey('rsa', 'old')] }
  const after = { cookies: [randomBytes(32).toString('base64url')], signing: [signingKey('ec', 'new')] }
  const meanwhile = {
    cookies: [...after.cookies, ...before.cookies],
    signing: [...after.signing, ...before.signing],
  }
  const old = await startWith(before)
  const both = await startWith(meanwhile, old)
  t.context = { old, both, renewed: await startWith(after, old), person: await signInMember(old) }
})
test.after.always(async (t) => {
  const { old, both, renewed } = t.context
  await Promise.all([both, renewed].map((s) => s?.[Symbol.asyncDispose]()))
  for (const s of [both, renewed]) await rm(s?.stack.dataDir ?? '', { recursive: true, force: true })
  await old?.[Symbol.asyncDispose]()
})

test('while the old keys are kept, everything started with them continues', async (t) => {
  const { old, both, person } = t.context
  const begun = await begin(old, person)
  const [client, pkce] = [await registered(old), newPkce()]
  const code = await getCode(old, person, client, pkce, OPENID)
  const connected = await redeem(old, client, await getCode(old, person, client, pkce, OPENID), pkce)

  const allowed = await decide(both, begun.browser.through(both), person, begun.interaction)
  const tokens = await redeem(both, begun.client, callbackOf(allowed).get('code') ?? '', begun.pkce)
  t.is(tokens.status, 200, tokens.text)
  t.is((await redeem(both, client, code, pkce)).status, 200)
  t.true(await isAdmitted(both, connected.json.access_token))
  t.is((await refresh(both, client, connected.json.refresh_token)).status, 200)
  t.is((await both.as.site.resolveSession({ session: person.session })).email, person.email)
  const silently = await begun.browser.get(authorizeUrl(begun.client, newPkce(), { ...OPENID, prompt: 'none' }))
  t.true(callbackOf(silently).has('code'), 'the browser is still known')

  t.is(await signerOf(both, connected.json.id_token), 'old')
  t.is(await signerOf(both, tokens.json.id_token), 'new')
})

test('removing the old keys ends only what was made with them', async (t) => {
  const { old, both, renewed, person } = t.context
  const [withOld, withNew] = [await begin(old, person), await begin(both, person)]
  const [client, pkce] = [await registered(old), newPkce()]
  const connected = await redeem(old, client, await getCode(old, person, client, pkce, OPENID), pkce)
  const known = await begin(old, person)
  await decide(old, known.browser, person, known.interaction)

  const ended = await decide(renewed, withOld.browser.through(renewed), person, withOld.interaction)
  t.is(ended.headers.location, '/consent/expired')
  const allowed = await decide(renewed, withNew.browser.through(renewed), person, withNew.interaction)
  const code = callbackOf(allowed).get('code') ?? ''
  t.is((await redeem(renewed, withNew.client, code, withNew.pkce)).status, 200)
  const asked = await known.browser.through(renewed).get(authorizeUrl(known.client, known.pkce, OPENID))
  t.not(interactionIn(asked), '', 'who was remembered by the old key is asked again')

  t.true(await isAdmitted(renewed, connected.json.access_token))
  const again = await refresh(renewed, client, connected.json.refresh_token)
  t.is(again.status, 200, again.text)
  t.is(await signerOf(renewed, again.json.id_token), 'new', 'also for an application that registered before')
  t.is(await signerOf(renewed, connected.json.id_token), undefined)
  t.is((await renewed.as.site.resolveSession({ session: person.session })).email, person.email)
})

test('public keys are published without private parts, the signing key first', async (t) => {
  const { both } = t.context
  const keys = await publicKeys(both)
  t.deepEqual(
    keys.map(({ kid }) => kid),
    ['new', 'old'],
  )
  for (const key of keys) for (const secret of ['d', 'p', 'q', 'dp', 'dq', 'qi', 'k']) t.false(secret in key)
})

async function startWith({ cookies, signing }: Secrets, first?: AuthStack): Promise<AuthStack> {
  // Service keys stay the same: nats-server knows their users.
  const dataDir = first && (await mkdtemp(join(tmpdir(), 'family-inbox-')))
  if (dataDir) await cp(join(first.stack.dataDir, 'secrets'), join(dataDir, 'secrets'), { recursive: true })
  const shared = first && {
    MONGODB_URI: first.stack.mongoUri,
    NATS_URL: first.stack.natsUrl,
    API_URL: first.stack.apiUrl,
    INBOX_URL: first.stack.inboxUrl,
  }
  return startAuthStack({
    env: shared,
    dataDir,
    ownMongod: true,
    serviceEnv: { OIDC_COOKIE_KEYS: JSON.stringify(cookies), OIDC_JWKS: JSON.stringify({ keys: signing }) },
  })
}

function signingKey(type: 'rsa' | 'ec', kid: string): JsonWebKey {
  const { privateKey } =
    type === 'rsa'
      ? generateKeyPairSync('rsa', { modulusLength: 2048 })
      : generateKeyPairSync('ec', { namedCurve: 'P-256' })
  return { ...privateKey.export({ format: 'jwk' }), use: 'sig', kid }
}

/** An authorization up to the consent page. */
async function begin(s: AuthStack, person: Member): Promise<Begun> {
  const [browser, client, pkce] = [new Browser(s, person), await registered(s), newPkce()]
  const answer = await browser.get(authorizeUrl(client, pkce, OPENID))
  return { browser, client, pkce, interaction: interactionIn(answer) }
}

async function publicKeys(s: AuthStack): Promise<(JsonWebKey & { kid: string })[]> {
  return (await send(`${s.httpUrl}/oauth/jwks`)).json.keys
}

/** The kid of the published key that verifies an id token. */
async function signerOf(s: AuthStack, idToken: string): Promise<string | undefined> {
  const [header = '', claims = '', signature = ''] = idToken.split('.')
  const { kid } = JSON.parse(Buffer.from(header, 'base64url').toString())
  const jwk = (await publicKeys(s)).find((key) => key.kid === kid)
  if (jwk === undefined) return undefined
  const key = createPublicKey({ key: jwk, format: 'jwk' })
  const signed = Buffer.from(`${header}.${claims}`)
  const isGood = verify('sha256', signed, { key, dsaEncoding: 'ieee-p1363' }, Buffer.from(signature, 'base64url'))
  return isGood ? kid : undefined
}

async function isAdmitted(s: AuthStack, token: string): Promise<boolean> {
  return (await authenticate(s, token)).admission === 'ADMISSION_ADMITTED'
}
