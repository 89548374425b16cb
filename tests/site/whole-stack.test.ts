import { randomBytes } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import anyTest, { type TestFn } from 'ava'
import type { Browser, Page } from 'playwright-core'
import { send } from '../_family.ts'
import { openSharedStack, type Shared, type SharedStack } from '../_shared-stack.ts'
import { nextCode } from '../_visitor.ts'
import { countActions, PHONE } from '../app/_count-actions.ts'
import { findChromium, openBrowser } from './_browser.ts'

const test = anyTest.serial as TestFn<{ shared: Shared; stack: SharedStack; browser?: Browser }>
const onScreen = findChromium() === undefined ? test.skip : test

anyTest.before(async (t) => {
  const browser = findChromium() === undefined ? undefined : await openBrowser()
  const shared = await openSharedStack()
  t.context = { shared, stack: shared.stack, browser }
})

anyTest.after.always(async (t) => {
  const { shared, browser } = t.context as { shared?: Shared; browser?: Browser }
  await browser?.close()
  await shared?.[Symbol.asyncDispose]()
})

test('a person signs in with a mailed code through the gateway, and signs out', async (t) => {
  const { shared, stack } = t.context
  const email = newAddress()
  const asked = await sendForm(stack, '/sign-in', { email })
  t.is(asked.status, 303)
  const wrong = await sendForm(stack, '/sign-in/code', { code: '00000000' }, cookiesOf(asked))
  t.is(wrong.status, 422)
  t.true(wrong.text.includes('That code isn’t right'))
  const code = await codeMailedTo(shared, email)
  const answered = await sendForm(stack, '/sign-in/code', { code }, cookiesOf(asked))
  t.is(answered.status, 303)
  const session = cookiesOf(answered)
  t.is((await get(stack, '/welcome', session)).status, 200)
  t.is((await sendForm(stack, '/sign-in/code', { code }, cookiesOf(asked))).status, 422, 'a code works once')
  t.is((await sendForm(stack, '/sign-out', {}, session)).headers.location, '/signed-out')
  t.is((await get(stack, '/welcome', session)).headers.location, '/sign-in')
})

test('after five wrong codes the right one no longer works', async (t) => {
  const { shared, stack } = t.context
  const email = newAddress()
  const cookie = cookiesOf(await sendForm(stack, '/sign-in', { email }))
  const code = await codeMailedTo(shared, email)
  const wrong = code === '00000000' ? '11111111' : '00000000'
  for (let tries = 0; tries < 5; tries += 1) await sendForm(stack, '/sign-in/code', { code: wrong }, cookie)
  const answer = await sendForm(stack, '/sign-in/code', { code }, cookie)
  t.is(answer.status, 422)
  t.true(answer.text.includes('This code no longer works'))
})

test('when auth is unavailable, the page says so without internal details', async (t) => {
  await using shared = await openSharedStack('mortal')
  const { stack } = shared
  await stack.pause('auth')
  try {
    const answer = await sendForm(stack, '/sign-in', { email: newAddress() })
    t.is(answer.status, 503)
    t.true(answer.text.includes('taking too long') || answer.text.includes('is unavailable'))
  } finally {
    stack.resume('auth')
  }
  t.is((await sendForm(stack, '/sign-in', { email: newAddress() })).status, 303)
})

onScreen('a person creates a family without JavaScript and gets an inbox address', async (t) => {
  const { shared, stack, browser } = t.context
  await using context = await (browser as Browser).newContext({ javaScriptEnabled: false })
  const page = await context.newPage()
  await page.goto(stack.inboxUrl)
  await signIn(page, shared)
  await makeFamily(page)
  t.is(await page.locator('h1').textContent(), 'How should we tell you?')
  await page.getByRole('button', { name: 'Continue' }).click()
  t.is(await page.locator('h1').textContent(), 'Forward Rosa Martin’s mail')
  t.regex((await page.locator('#address').textContent()) ?? '', /^[^@\s]+@family-inbox\.test$/)
  const cookies = await context.cookies()
  t.deepEqual(cookies.map(({ name, httpOnly, sameSite }) => ({ name, httpOnly, sameSite })).sort(byName), [
    ...['family_device', 'family_session'].map((name) => ({ name, httpOnly: true, sameSite: 'Lax' as const })),
    // Our script writes it, too, where there is one.
    { name: 'time_zone', httpOnly: false, sameSite: 'Lax' as const },
  ])
  await page.getByRole('button', { name: 'Sign out' }).click()
  t.is(await page.locator('h1').textContent(), 'You are signed out')
})

onScreen('a person connects an app: sign in, create a family, turn off writing, allow', async (t) => {
  const { shared, stack, browser } = t.context
  await using callback = await listenForCallback()
  const clientId = await registerClient(stack, callback.url)
  await using context = await (browser as Browser).newContext({ javaScriptEnabled: false })
  const page = await context.newPage()
  await page.goto(authorizeUrl(stack, clientId, callback.url))
  await signIn(page, shared)
  await makeFamily(page)
  t.is(await page.locator('h1').textContent(), 'Connect A test application?')
  t.true((await page.locator('.host').textContent())?.includes(`this device (${new URL(callback.url).host})`))
  await page.getByRole('radio', { name: /^Read only/ }).check()
  await page.getByRole('button', { name: 'Allow', exact: true }).click()
  await page.waitForURL(`${callback.url}**`)
  const answer = new URL(page.url()).searchParams
  t.truthy(answer.get('code'))
  t.is(answer.get('state'), 'a state')
  t.is(answer.get('iss'), stack.inboxUrl)
})

onScreen(
  'a member connects an application on a phone in four actions, beside the five in the application',
  async (t) => {
    const { shared, stack, browser } = t.context
    await using callback = await listenForCallback()
    const clientId = await registerClient(stack, callback.url)
    const email = newAddress()
    await using desk = await (browser as Browser).newContext({ javaScriptEnabled: false })
    const first = await desk.newPage()
    await first.goto(stack.inboxUrl)
    await signIn(first, shared, email)
    await makeFamily(first)

    await using phone = await (browser as Browser).newContext(PHONE)
    const page = await phone.newPage()
    await page.goto(authorizeUrl(stack, clientId, callback.url))
    const { tap, type, button, count } = countActions(page)
    await type(page.getByLabel('Your email address'), email)
    await tap(button('Send code'))
    const mail = await nextCode(shared.sink, email, 1)
    await type(page.getByLabel('Sign-in code'), /\b\d{4} \d{4}\b/.exec(mail?.raw ?? '')?.[0] ?? '')
    await page.getByText('Connect A test application?').waitFor()
    await tap(button(/^Allow$/))
    await page.waitForURL(`${callback.url}**`)
    t.true(count() <= 4, `${count()} actions`)
  },
)

const byName = (a: { name: string }, b: { name: string }) => a.name.localeCompare(b.name)

async function signIn(page: Page, shared: Shared, email = newAddress()): Promise<void> {
  await page.getByLabel('Your email address').fill(email)
  await page.getByRole('button', { name: 'Send code' }).click()
  await page.getByLabel('Sign-in code').fill(await codeMailedTo(shared, email))
  await page.getByRole('button', { name: 'Sign in' }).click()
}

async function makeFamily(page: Page): Promise<void> {
  await page.getByLabel('Their name').fill('Rosa Martin')
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.getByLabel('Your name').fill('Ana Martin')
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.getByLabel('Family name').fill('The Martin family')
  await page.getByRole('button', { name: 'Create inbox' }).click()
}

/** The code in the mail to an address that had none before. */
async function codeMailedTo({ sink }: Shared, email: string): Promise<string> {
  const mail = await nextCode(sink, email, 0)
  return (
    /\b(\d{4}) (\d{4})\b/
      .exec(mail?.raw ?? '')
      ?.slice(1)
      .join('') ?? ''
  )
}

async function registerClient(stack: SharedStack, redirectUri: string): Promise<string> {
  const { json } = await send(`${stack.inboxUrl}/oauth/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      client_name: 'A test application',
      redirect_uris: [redirectUri],
      token_endpoint_auth_method: 'none',
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
    }),
  })
  return json.client_id
}

function authorizeUrl(stack: SharedStack, clientId: string, redirectUri: string): string {
  const url = new URL(`${stack.inboxUrl}/oauth/authorize`)
  url.search = new URLSearchParams({
    client_id: clientId,
    response_type: 'code',
    redirect_uri: redirectUri,
    code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
    code_challenge_method: 'S256',
    scope: 'profile:read care_circle:read care_circle:write',
    resource: `${stack.apiUrl}/mcp/v1`,
    state: 'a state',
  }).toString()
  return url.href
}

async function listenForCallback(): Promise<AsyncDisposable & { url: string }> {
  const server = createServer((_req, res) => res.end('connected'))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/callback`,
    [Symbol.asyncDispose]: () => new Promise((resolve) => server.close(() => resolve())),
  }
}

function sendForm(stack: SharedStack, path: string, form: Record<string, string>, cookie = '') {
  const headers = {
    accept: 'text/html',
    'content-type': 'application/x-www-form-urlencoded',
    origin: stack.inboxUrl,
    ...(cookie && { cookie }),
  }
  return send(stack.inboxUrl + path, { method: 'POST', headers, body: new URLSearchParams(form).toString() })
}

function get(stack: SharedStack, path: string, cookie: string) {
  return send(stack.inboxUrl + path, { headers: { accept: 'text/html', cookie } })
}

function cookiesOf({ headers }: { headers: { 'set-cookie'?: string[] } }): string {
  return (headers['set-cookie'] ?? []).map((cookie) => cookie.split(';')[0]).join('; ')
}

function newAddress(): string {
  return `${randomBytes(6).toString('hex')}@example.org`
}
