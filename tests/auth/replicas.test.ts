import { randomBytes } from 'node:crypto'
import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import anyTest, { type TestFn } from 'ava'
import { send } from '../_family.ts'
import { type AuthStack, startAuthStack } from './_auth.ts'
import {
  areAdmitted,
  authenticate,
  authenticateAtOnce,
  authorizeUrl,
  Browser,
  callbackOf,
  decide,
  interactionIn,
  newPkce,
  redeem,
  refresh,
  registered,
} from './_oauth.ts'
import { codeIn, mailsTo, newEmail, signInMember } from './_people.ts'

const test = anyTest as TestFn<{ first: AuthStack; second: AuthStack; dataDir: string }>

const LIMIT = { OAUTH_REQUESTS_PER_MINUTE: '50' }

/** Two replicas of auth on one database. The second signs cookies with a new key and still accepts the old one. */
test.before(async (t) => {
  const [oldKey, newKey] = [randomBytes(32).toString('base64url'), randomBytes(32).toString('base64url')]
  const first = await startAuthStack({
    ownMongod: true,
    serviceEnv: { ...LIMIT, OIDC_COOKIE_KEYS: JSON.stringify([oldKey]) },
  })
  const { mongoUri, natsUrl, apiUrl, inboxUrl } = first.stack
  const dataDir = await mkdtemp(join(tmpdir(), 'family-inbox-'))
  await cp(join(first.stack.dataDir, 'secrets'), join(dataDir, 'secrets'), { recursive: true })
  const second = await startAuthStack({
    dataDir,
    env: { MONGODB_URI: mongoUri, NATS_URL: natsUrl, API_URL: apiUrl, INBOX_URL: inboxUrl },
    serviceEnv: { ...LIMIT, OIDC_COOKIE_KEYS: JSON.stringify([newKey, oldKey]) },
  })
  t.context = { first, second, dataDir }
})
test.after.always(async (t) => {
  const { first, second, dataDir } = t.context
  await second?.[Symbol.asyncDispose]()
  await first?.[Symbol.asyncDispose]()
  await rm(dataDir, { recursive: true, force: true })
})

test.serial(
  'each step of a sign-in and authorization may reach another replica, even during key rotation',
  async (t) => {
    const { first, second } = t.context
    const email = newEmail()
    const { challenge } = await first.as.site.startSignIn({ email, clientAddress: '203.0.113.9' })
    const code = codeIn((await mailsTo(first, email))[0])
    const { session } = await second.as.site.finishSignIn({ challenge, code, userAgent: '' })
    t.is((await first.as.site.resolveSession({ session })).email, email)

    const person = await signInMember(first)
    const client = await registered(second)
    const pkce = newPkce()
    const browser = new Browser(first, person)
    const asked = interactionIn(await browser.get(authorizeUrl(client, pkce)))
    const back = await decide(second, browser.through(second), person, asked)
    const tokens = (await redeem(first, client, callbackOf(back).get('code') ?? '', pkce)).json
    const again = (await refresh(second, client, tokens.refresh_token)).json
    for (const s of [first, second])
      for (const { access_token } of [tokens, again])
        t.is((await authenticate(s, access_token)).admission, 'ADMISSION_ADMITTED')

    const silently = await browser.through(second).get(authorizeUrl(client, newPkce(), { prompt: 'none' }))
    t.true(callbackOf(silently).has('code'))
    const { principal } = await second.as.site.resolveSession({ session: person.session })
    const { grants } = await second.as.site.listGrants({ pageSize: 0, pageToken: '' }, { token: principal })
    await second.as.site.revokeGrant({ grantId: grants[0]?.id ?? '' }, { token: principal })
    t.not((await authenticate(first, again.access_token)).admission, 'ADMISSION_ADMITTED')
    await second.as.site.revokeSessions({ sessionId: '' }, { token: principal })
    await t.throwsAsync(first.as.site.resolveSession({ session: person.session }))
  },
)

test.serial('60 calls a minute are counted across replicas', async (t) => {
  const { first, second } = t.context
  const person = await signInMember(first)
  const burst = await authenticateAtOnce(
    Array.from(
      { length: 80 },
      (_, call) => [call % 2 ? first : second, person.session, 'CREDENTIAL_KIND_SESSION'] as const,
    ),
  )
  t.true(areAdmitted(burst, 60))
})

const REQUESTS: [what: string, path: string, method: 'GET' | 'POST', network: string][] = [
  ['steps of authorizations', '/oauth/authorize?response_type=code', 'GET', '192.0.2.10'],
  ['requests for tokens', '/oauth/token', 'POST', '192.0.2.11'],
  ['revocations', '/oauth/revoke', 'POST', '192.0.2.12'],
]

for (const [what, path, method, network] of REQUESTS)
  test.serial(`of 60 ${what} from one network, 50 are admitted across replicas`, async (t) => {
    const { first, second } = t.context
    const ask = (s: AuthStack, from: string, accept = 'application/json') => {
      const headers = { accept, 'x-forwarded-for': from, 'content-type': 'application/x-www-form-urlencoded' }
      return send(`${s.httpUrl}${path}`, { method, headers, ...(method === 'POST' && { body: 'token=x' }) })
    }
    const answers = await Promise.all(
      Array.from({ length: 60 }, (_, nth) => ask(nth % 2 ? first : second, `10.0.0.${nth}, ${network}`)),
    )
    const refused = answers.filter(({ status }) => status === 429)
    t.is(refused.length, 10)
    t.true(answers.every(({ status }) => status < 500))
    for (const { headers, json } of refused) {
      t.true(Number(headers['retry-after']) >= 1 && Number(headers['retry-after']) <= 60)
      t.is(json.error, 'temporarily_unavailable')
    }
    t.not((await ask(first, '192.0.2.99')).status, 429, 'other networks are not held up')
    const page = await ask(second, network, 'text/html')
    t.is(page.status, 429)
    t.regex(page.text, /Wait a few minutes/)
    t.notRegex(page.text, /\{\w+\}/)
  })
