import { AuthServiceService } from '@family-inbox/proto/auth/v1/auth'
import { CareCircleServiceService } from '@family-inbox/proto/carecircle/v1/care_circle'
import type { BrowserContext, Page } from 'playwright-core'
import { openDatabase } from '../_database.ts'
import { dialAsHolder } from '../_dial-as-holder.ts'
import { type Family, send, startFamily } from '../_family.ts'
import { type Sink, startMailSink } from '../_mail-sink.ts'
import { statusOf } from '../_outcome.ts'
import { codesTo } from '../_visitor.ts'
import { becomesTrue, until } from '../_wait.ts'
import { openScenes, openWith, signIn, Visitor } from '../app/_app.ts'
import { addAuthenticator, addPasskey } from '../auth/_authenticator.ts'
import { ops } from '../event-pipe/_ops.ts'
import { violationsOf } from '../site/_axe.ts'
import { newAddress } from './_behind-door.ts'

/** The folder for screenshots, if somebody wants to look. */
const { OPERATOR_SCREENSHOTS } = process.env
const SCREENS = [
  { width: 360, height: 740 },
  { width: 1280, height: 900 },
]

type World = Family & { sink: Sink }

/** A household's server. What the three switches change is in three processes. */
async function startServer(): Promise<World> {
  await using starting = new AsyncDisposableStack()
  const sink = starting.use(await startMailSink())
  const door = { OPERATOR_PAGE: 'on', SIGN_UP: 'invited', SANDBOX: 'off', PUBLIC_SITE: 'off' }
  const family = starting.use(
    await startFamily({ env: { ...door, SMTP_URL: sink.url }, separate: ['auth', 'sandbox'] }),
  )
  await ops(family.stack, ['operators', 'add', family.family.people.owner])
  const owned = starting.move()
  return { ...family, sink, [Symbol.asyncDispose]: () => owned.disposeAsync() }
}

const { test, onScreen } = openScenes(startServer)

/** What a visitor gets there, without what differs from request to request. */
async function answerTo(visitor: Visitor, method: string, path: string, { stack }: World) {
  const headers = { cookie: visitor.cookie, accept: 'text/html', origin: stack.inboxUrl }
  const form = { ...headers, 'content-type': 'application/x-www-form-urlencoded' }
  const options = method === 'POST' ? { headers: form, body: 'switch=sandbox&value=on' } : { headers }
  const { status, text, headers: answered } = await send(`${stack.inboxUrl}${path}`, { method, ...options })
  const { date: _date, 'x-request-id': _id, 'set-cookie': _cookies, ...others } = answered
  return { status, text: text.replaceAll(path, 'PATH'), ...others }
}

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'OPTIONS']

async function findsNothing(t: { deepEqual(a: unknown, b: unknown, m?: string): void }, visitor: Visitor, f: World) {
  for (const method of METHODS)
    for (const path of ['/operator', '/operator/check'])
      t.deepEqual(
        await answerTo(visitor, method, path, f),
        await answerTo(visitor, method, '/oparetor', f),
        `${method} ${path}`,
      )
}

async function switchesOf({ stack }: World) {
  const mongo = await openDatabase(stack, 'care-circle')
  const rows = await mongo.db().collection('switches').find().toArray()
  await mongo.close()
  return Object.fromEntries(rows.map(({ _id, value }) => [_id, value]))
}

async function changeSession({ stack }: World, email: string, change: object) {
  const mongo = await openDatabase(stack, 'auth')
  await mongo.db().collection('sessions').updateMany({ email }, change)
  await mongo.close()
}

test('strangers, other members and other families’ owners find no page, as at an address that does not exist', async (t) => {
  const { f, sink } = t.context
  await findsNothing(t, new Visitor(f), f)
  const { coordinator, viewer } = f.family.people
  const other = await f.another()
  for (const email of [coordinator, viewer, other.people.owner]) await findsNothing(t, await signIn(f, sink, email), f)
})

test('the operator’s own assistant finds no page, and neither its key nor any other service switches anything', async (t) => {
  const { f } = t.context
  const authorization = `Bearer ${f.family.keys.owner}`
  for (const method of ['GET', 'POST']) {
    const headers = { authorization, accept: 'text/html', origin: f.stack.inboxUrl }
    t.is((await send(`${f.stack.inboxUrl}/operator`, { method, headers })).status, 404)
  }
  using clients = new DisposableStack()
  const authAs = async (service: 'gateway' | 'site' | 'inbox') =>
    clients.adopt(await dialAsHolder(AuthServiceService, f.stack.addresses.auth ?? '', f.stack, service), (client) =>
      client.close(),
    )
  const wanted = { name: 'signUp', value: 'open' }
  const request = { session: f.family.keys.owner, switch: wanted, before: 'invited' }
  t.is(await statusOf((await authAs('site')).switchInstallation(request)), 'UNAUTHENTICATED')
  for (const service of ['gateway', 'inbox'] as const) {
    const client = await authAs(service)
    t.is(await statusOf(client.switchInstallation(request)), 'PERMISSION_DENIED')
    const promotion = { email: f.family.people.viewer, operator: true }
    t.is(await statusOf(client.setOperator(promotion)), 'PERMISSION_DENIED')
  }
  const address = f.stack.addresses['care-circle'] ?? ''
  for (const service of ['site', 'gateway', 'sandbox'] as const) {
    const client = clients.adopt(await dialAsHolder(CareCircleServiceService, address, f.stack, service), (one) =>
      one.close(),
    )
    const refused = client.changeSwitch({ switch: wanted, personId: 'per_1', before: '' })
    t.is(await statusOf(refused), 'PERMISSION_DENIED')
  }
  t.deepEqual(await switchesOf(f), {})
})

test('without a recent passkey the operator confirms first, and a code by email is not enough', async (t) => {
  const { f, sink } = t.context
  const email = f.family.people.owner
  const visitor = await signIn(f, sink, email)
  t.is((await visitor.get('/operator')).headers.location, '/confirm')
  const page = await visitor.get('/confirm')
  t.regex(page.text, /You have no passkey yet/)
  t.notRegex(page.text, /Send code/)
  t.is((await visitor.submit('/operator', { switch: 'signUp', value: 'open' })).headers.location, '/confirm')
  await visitor.submit('/confirm/mail', {})
  const confirming = () =>
    sink.mails.find(({ to, raw }) => to.includes(email) && /^Subject: Your confirmation code/m.test(raw))
  await until(async () => confirming() !== undefined)
  const code = /\b\d{4} \d{4}\b/.exec(confirming()?.raw ?? '')?.[0] ?? ''
  t.is((await visitor.submit('/confirm/code', { code })).headers.location, '/operator')
  t.is((await visitor.get('/operator')).headers.location, '/confirm')
  t.deepEqual(await switchesOf(f), {})
})

async function shoot(page: Page, name: string): Promise<void> {
  if (OPERATOR_SCREENSHOTS === undefined) return
  await page.screenshot({ path: `${OPERATOR_SCREENSHOTS}/operator-${name}.png`, fullPage: true })
}

/** The operator with a passkey, on their page. */
async function openOperator(f: World, context: BrowserContext): Promise<Page> {
  const page = await context.newPage()
  await addAuthenticator(context, page)
  await addPasskey(f, page, 'My phone')
  await changeSession(f, f.family.people.owner, { $unset: { passkeyAt: 1 } })
  await page.goto(`${f.stack.inboxUrl}/operator`)
  await shoot(page, 'confirm')
  await page.getByRole('button', { name: 'Use a passkey' }).press('Enter')
  await page.waitForURL(`${f.stack.inboxUrl}/operator`)
  return page
}

onScreen('with a passkey the operator reads what is wrong and what to do, and checks again', async (t) => {
  const { f, sink, browser } = t.context
  const visitor = await signIn(f, sink, f.family.people.owner)
  await visitor.insist('/settings/passkeys/options', {}) // the first time auth loads what it needs
  await using context = await openWith(f, browser, visitor.cookie)
  const page = await openOperator(f, context)
  await page.getByRole('heading', { name: /problem|warning|in order/ }).waitFor({ timeout: 60_000 })
  for (const check of ['Disk', 'Clock', 'Outgoing mail', 'Stopped recipients', 'Versions'])
    t.is(
      await page.getByRole('heading', { name: new RegExp(`(OK|Not checked|Warning|Problem) ${check}$`) }).count(),
      1,
      check,
    )

  for (const screen of SCREENS) {
    await page.setViewportSize(screen)
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      t.deepEqual(await violationsOf(page, colorScheme), [])
      await shoot(page, `${screen.width}-${colorScheme}`)
    }
    t.is(await page.evaluate('document.documentElement.scrollWidth'), screen.width, 'nothing is cut off')
  }

  const progress = page.getByText('parts are done')
  const again = page.getByRole('button', { name: 'Check again' })
  const checkAgain = async () => {
    await Promise.all([page.waitForEvent('load'), again.press('Enter')])
    const isShown = (await progress.count()) === 1
    await shoot(page, 'checking')
    await again.waitFor()
    return isShown
  }
  const isReady = async () => (await page.getByText('All services are ready.').count()) === 1
  // On a busy machine one may seem away for a moment, and a check may end before its page is drawn.
  let wasShown = false
  do wasShown = (await checkAgain()) || wasShown
  while (!wasShown || !(await isReady()))
  t.pass()
})

/** As if a passkey had just confirmed this browser. */
async function confirm(f: World, passkeyAt = new Date()) {
  await changeSession(f, f.family.people.owner, { $set: { passkeyAt } })
}

onScreen(
  'the operator switches who may join, the sandbox and the public pages, and every process does so within seconds',
  async (t) => {
    const { f, sink, browser } = t.context
    const { inboxUrl, baseUrl } = f.stack
    const { cookie } = await signIn(f, sink, f.family.people.owner)
    await using context = await openWith(f, browser, cookie)
    await confirm(f)
    const page = await context.newPage()
    await page.goto(`${inboxUrl}/settings`)
    await page.getByRole('link', { name: 'Your server' }).press('Enter')
    const stranger = newAddress()
    const mayJoin = async () => {
      const before = codesTo(sink, stranger).length
      await new Visitor(f).submit('/sign-in', { email: stranger, return_to: '/' })
      return becomesTrue(async () => codesTo(sink, stranger).length > before, 1500)
    }
    t.false(await mayJoin())
    await page.getByLabel('Everyone').focus()
    await page.keyboard.press('Space')
    await page.getByRole('button', { name: 'Save who may join' }).press('Enter')
    await page.getByText('from invited people to everyone').waitFor()
    t.true(await page.getByLabel('Everyone').isChecked())
    await until(mayJoin, 10_000)
    await page.getByRole('button', { name: 'Turn on the sandbox' }).press('Enter')
    await page.getByRole('button', { name: 'Turn off the sandbox' }).waitFor()
    await until(async () => (await send(`${inboxUrl}/api/mcp/public`)).status === 200, 10_000)
    await page.getByRole('button', { name: 'Turn on the public pages' }).press('Enter')
    await page.getByRole('button', { name: 'Turn off the public pages' }).waitFor()
    await until(async () => (await send(`${baseUrl}/about`)).status === 200, 10_000)
    t.regex((await send(`${baseUrl}/llms.txt`)).text, /sandbox/, 'its pages say what is possible now')

    t.deepEqual(await switchesOf(f), { signUp: 'open', sandbox: 'on', publicSite: 'on' })
    await page.getByLabel('Nobody new').check()
    await page.getByRole('button', { name: 'Save who may join' }).click()
    await page.getByText('from everyone to nobody new').waitFor()
    await shoot(page, 'changed')
    await page.getByRole('button', { name: 'Turn off the sandbox' }).click()
    await page.getByRole('button', { name: 'Turn on the sandbox' }).waitFor()
    await page.getByRole('button', { name: 'Turn off the public pages' }).click()
    await page.getByRole('button', { name: 'Turn on the public pages' }).waitFor()
    await until(async () => (await send(`${inboxUrl}/api/mcp/public`)).status === 404, 10_000)
    await until(async () => (await send(`${baseUrl}/about`)).status === 404, 10_000)
    await until(async () => /isn’t taking new people/.test((await new Visitor(f).get('/sign-in')).text), 10_000)
    t.is(await page.getByRole('listitem').filter({ hasText: 'by Ana' }).count(), 6, 'who changed what')
  },
)

test('neither another site’s form, nor an old confirmation, nor a former operator switches anything', async (t) => {
  const { f, sink } = t.context
  const { inboxUrl } = f.stack
  const email = f.family.people.owner
  const visitor = await signIn(f, sink, email)
  const open = { switch: 'signUp', value: 'open' }
  const before = await switchesOf(f)
  await confirm(f)
  t.is((await visitor.get('/operator')).status, 200)
  const forged = await send(`${inboxUrl}/operator`, {
    method: 'POST',
    headers: {
      cookie: visitor.cookie,
      origin: 'https://evil.example',
      'content-type': 'application/x-www-form-urlencoded',
    },
    body: 'switch=signUp&value=open',
  })
  t.is(forged.status, 403)
  await visitor.submit('/operator', { switch: 'signUp', value: 'everyone' })
  await visitor.submit('/operator', { switch: 'constructor', value: 'name' })

  await confirm(f, new Date(Date.now() - 11 * 60_000))
  t.is((await visitor.submit('/operator', open)).headers.location, '/confirm')
  t.is((await visitor.get('/operator')).headers.location, '/confirm', 'ten minutes later, once more')

  await confirm(f)
  await visitor.submit('/settings/passkeys/pky_1/remove', {})
  t.is((await visitor.submit('/operator', open)).headers.location, '/confirm', 'since passkeys were changed')

  await confirm(f)
  t.is((await visitor.get('/operator')).status, 200)
  await ops(f.stack, ['operators', 'remove', email])
  await findsNothing(t, visitor, f)
  t.deepEqual((await ops(f.stack, ['operators', 'list'])).json, { emails: [] })
  t.deepEqual(await switchesOf(f), before)
})

test('an operator is somebody who is here', async (t) => {
  const { code, stderr } = await ops(t.context.f.stack, ['operators', 'add', newAddress()])
  t.is(code, 1)
  t.regex(stderr, /Nobody here has the address/)
})
