import { freePort } from '@family-inbox/local-stack/free-port'
import type { Stack } from '@family-inbox/local-stack/run-stack'
import anyTest, { type TestFn } from 'ava'
import { send } from '../_family.ts'
import { type AuthStack, startAuthStack } from './_auth.ts'
import { documentOf, type Maker, publish, REDIRECT_URI, startMaker } from './_maker.ts'
import {
  authenticate,
  authorizeUrl,
  Browser,
  callbackOf,
  decide,
  interactionIn,
  newPkce,
  redeem,
  refresh,
} from './_oauth.ts'
import { signInMember } from './_people.ts'

type Context = { s: AuthStack<Stack>; maker: Maker }

const test = anyTest as TestFn<Context>

test.before(async (t) => {
  const maker = await startMaker()
  const serviceEnv = { ...maker.serviceEnv, CLIENT_DOCUMENTS_FROM_PRIVATE_NETWORKS: 'true' }
  t.context = { s: await startAuthStack({ separate: ['auth'], serviceEnv }), maker }
})
test.after.always(async (t) => {
  const { s, maker } = t.context
  await Promise.all([s?.[Symbol.asyncDispose](), maker?.[Symbol.asyncDispose]()])
})

function ask(s: AuthStack, client_id: string, browser = new Browser(s), pkce = newPkce()) {
  return browser.get(authorizeUrl({ client_id, redirect_uris: [REDIRECT_URI] }, pkce))
}

test.serial('the consent page shows the client on a replica that has not seen it yet', async (t) => {
  const { s, maker } = t.context
  const person = await signInMember(s)
  const client_id = publish(maker, '/slow-reader.json')
  const browser = new Browser(s, person)
  const interactionId = interactionIn(await ask(s, client_id, browser))
  await s.stack.restart('auth')
  const cookie = browser.cookieFor(`/consent/${interactionId}`)
  const consent = await s.as.site.getConsent({ interactionId, cookie })
  t.is(consent.clientName, 'Assistant')
  t.true(callbackOf(await decide(s, browser, person, interactionId)).has('code'))
})

test.serial('a client identified by its metadata document connects without registering', async (t) => {
  const { s, maker } = t.context
  const person = await signInMember(s)
  const client_id = publish(maker, '/client.json')
  const client = { client_id, redirect_uris: [REDIRECT_URI] }
  const [browser, pkce] = [new Browser(s, person), newPkce()]
  const interactionId = interactionIn(await ask(s, client_id, browser, pkce))
  const cookie = browser.cookieFor(`/consent/${interactionId}`)
  t.like(await s.as.site.getConsent({ interactionId, cookie }), {
    clientName: 'Assistant',
    clientUri: 'https://assistant.example/',
    redirectHost: 'assistant.example',
  })
  const code = callbackOf(await decide(s, browser, person, interactionId)).get('code') ?? ''
  const { status, json } = await redeem(s, client, code, pkce)
  t.is(status, 200, JSON.stringify(json))
  t.is((await authenticate(s, json.access_token)).admission, 'ADMISSION_ADMITTED')
  t.is((await refresh(s, client, json.refresh_token)).status, 200)
  t.is(maker.asked.filter((path) => path === '/client.json').length, 1)
})

test.serial('an invalid metadata document connects nothing', async (t) => {
  const { s, maker } = t.context
  const body = (text: string, status = 200, headers = {}) => ({ status, headers, body: text })
  const elsewhere = publish(maker, '/elsewhere.json')
  const wrong: Record<string, ReturnType<typeof body>> = {
    '/other-id.json': body(documentOf(elsewhere)),
    '/redirect.json': body('', 302, { location: elsewhere }),
    '/missing.json': body('{}', 404),
    '/html.json': body('<html>'),
    '/list.json': body('[]'),
    '/large.json': body(documentOf(maker.url('/large.json'), { software_id: 'x'.repeat(6000) })),
    '/secret.json': body(documentOf(maker.url('/secret.json'), { client_secret: 'x' })),
    '/basic.json': body(documentOf(maker.url('/basic.json'), { token_endpoint_auth_method: 'client_secret_basic' })),
    '/no-redirect.json': body(documentOf(maker.url('/no-redirect.json'), { redirect_uris: [] })),
    '/evil.json': body(documentOf(maker.url('/evil.json'), { redirect_uris: ['https://evil.example/'] })),
  }
  for (const [path, answer] of Object.entries(wrong)) {
    maker.answers.set(path, answer)
    const { status, headers } = await ask(s, maker.url(path))
    t.is(status, 400, path)
    t.is(headers.location, undefined)
  }
  for (const clientId of [
    maker.url('/client.json').replace('https', 'http'),
    maker.url('/client.json#part'),
    maker.url('/client.json').replace('localhost', 'user@localhost'),
    maker.url('/a/../client.json'),
  ])
    t.is((await ask(s, clientId)).status, 400, clientId)
})

test.serial('a caller cannot probe addresses through metadata documents', async (t) => {
  const { s, maker } = t.context
  const answers: Record<string, { status: number; headers?: Record<string, string>; body: string }> = {
    '/missing.json': { status: 404, body: '{}' },
    '/error.json': { status: 500, body: 'trouble' },
    '/moved.json': { status: 302, headers: { location: maker.url('/client.json') }, body: '' },
    '/page.json': { status: 200, body: '<html>' },
    '/other.json': { status: 200, body: documentOf(maker.url('/else.json')) },
    '/odd.json': { status: 200, body: documentOf(maker.url('/odd.json'), { client_uri: { toString: 1 } }) },
  }
  for (const [path, answer] of Object.entries(answers)) maker.answers.set(path, answer)
  const closed = `https://localhost:${await freePort()}/client.json`
  const timed = async (clientId: string) => {
    for (let again = 0; ; again += 1) {
      const startedAt = performance.now()
      const { status, text } = await ask(s, clientId)
      // A busy machine may answer 503.
      if (status !== 503 || again === 10) return { status, text, ms: performance.now() - startedAt }
    }
  }
  const asked = await Promise.all([...Object.keys(answers).map((path) => maker.url(path)), closed].map(timed))
  t.deepEqual(new Set(asked.map(({ status }) => status)), new Set([400]))
  t.is(new Set(asked.map(({ text }) => text)).size, 1)
  for (const { ms } of asked) t.true(ms >= 990, `${ms}`)
})

test.serial('document fetches are limited per network', async (t) => {
  const { s, maker } = t.context
  const asked = async (number: number) => {
    const client_id = publish(maker, `/many/${number}.json`)
    const url = authorizeUrl({ client_id, redirect_uris: [REDIRECT_URI] }, newPkce())
    return (await send(`${s.httpUrl}${url}`, { headers: { 'x-forwarded-for': '192.0.2.200' } })).status
  }
  const statuses: number[] = []
  for (let number = 0; number < 104; number += 8)
    statuses.push(...(await Promise.all(Array.from({ length: 8 }, (_, index) => asked(number + index)))))
  t.is(statuses.filter((status) => status === 303).length, 100)
  t.is(statuses.filter((status) => status === 400).length, 4)
})
