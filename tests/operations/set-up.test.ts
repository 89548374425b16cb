import type { Stack } from '@family-inbox/local-stack/run-stack'
import { startStack } from '@family-inbox/local-stack/stack'
import { createSetUpCode } from '@family-inbox/ops/set-up-code'
import anyTest, { type TestFn } from 'ava'
import { openDatabase } from '../_database.ts'
import { type Sink, startMailSink } from '../_mail-sink.ts'
import { signIn, Visitor } from '../_visitor.ts'
import { readUntil } from '../_wait.ts'
import { addAuthenticator, addPasskey, signInByPasskey } from '../auth/_authenticator.ts'
import { ops } from '../event-pipe/_ops.ts'
import { findChromium, openBrowser } from '../site/_browser.ts'
import { openPastPages } from './_behind-door.ts'

const test = anyTest.serial as TestFn<{ stack: Stack; sink: Sink; f: { stack: Stack }; cleanUp: AsyncDisposableStack }>
const onScreen = findChromium() === undefined ? test.skip : test

const ANA = { name: 'Ana Silva', email: 'ana@silva.example', familyName: 'The Silva family' }
const WRONG = 'aaaa-bbbb-cccc-dddd'

test.before(async (t) => {
  const cleanUp = new AsyncDisposableStack()
  const sink = cleanUp.use(await startMailSink())
  const env = { SIGN_UP: 'invited', SMTP_URL: sink.url }
  const stack = cleanUp.use(await startStack({ env, processes: 'single' }))
  t.context = { stack, sink, f: { stack }, cleanUp }
})
test.after.always((t) => t.context.cleanUp?.disposeAsync())

const newCode = async ({ target }: Stack) => (await createSetUpCode(target))?.code ?? ''

const setUp = (f: { stack: Stack }, code: string, answers = ANA, visitor = new Visitor(f)) =>
  visitor.insist('/set-up', { code, ...answers })

/** A busy machine asks to try again. */
const isAnswered = (status: number) => status !== 503

async function rowsOf(stack: Stack, service: 'auth' | 'care-circle', collection: string) {
  const mongo = await openDatabase(stack, service)
  return Object.assign(mongo.db().collection(collection), { [Symbol.asyncDispose]: () => mongo.close() })
}

/** As its owner, so that the operator can start over. */
async function deleteFamily(stack: Stack) {
  await using members = await rowsOf(stack, 'care-circle', 'members')
  const owner = await members.findOne({})
  await using pastPages = await openPastPages(stack)
  const token = await pastPages.principal(owner as unknown as { personId: string; workspaceId: string; email: string })
  await pastPages.careCircle.deleteWorkspace({}, { token })
}

test('where no code was created there is no set-up, and any code is as wrong', async (t) => {
  const { f } = t.context
  t.is((await new Visitor(f).get('/set-up')).status, 404)
  t.is((await setUp(f, WRONG)).status, 404)
})

test('the operator’s command prints a code that the database has as a hash only', async (t) => {
  const { stack, f } = t.context
  const { code, url, expiresAt } = (await ops(stack, ['set-up-code'])).json
  t.regex(code, /^\w{4}-\w{4}-\w{4}-\w{4}$/)
  t.is(url, `${stack.inboxUrl}/set-up`)
  t.true(Math.abs(Date.parse(expiresAt) - Date.now() - 86_400_000) < 60_000)
  await using codes = await rowsOf(stack, 'auth', 'set_up_codes')
  t.false(JSON.stringify(await codes.find().toArray()).includes(code))
  const page = await new Visitor(f).get('/set-up')
  t.is(page.status, 200)
  t.regex(page.text, /Set up your family/)
})

test('five wrong codes lock the set-up for the right one, too, until the operator creates another', async (t) => {
  const { stack, f } = t.context
  const code = await newCode(stack)
  const seen: string[] = []
  const tryWrong = async () => {
    const { text } = await setUp(f, WRONG)
    seen.push(/You have (\d) (?:try|tries) left/.exec(text)?.[1] ?? 'none')
    if (seen.at(-1) !== 'none') t.true(text.includes(ANA.email), 'what was typed stays')
    return seen.at(-1) === 'none'
  }
  while (!(await tryWrong()));
  t.deepEqual(seen, ['4', '3', '2', '1', 'none'])
  t.regex((await setUp(f, code)).text, /You need a new set-up code/)
  t.regex((await new Visitor(f).get('/set-up')).text, /You need a new set-up code/)
  await newCode(stack)
  t.regex((await new Visitor(f).get('/set-up')).text, /Set up your family/)
  t.regex((await setUp(f, code)).text, /You have \d tries left/, 'the earlier code is worthless')
})

test('a code ends after a day', async (t) => {
  const { stack, f } = t.context
  const code = await newCode(stack)
  await using codes = await rowsOf(stack, 'auth', 'set_up_codes')
  await codes.updateOne({}, { $set: { expiresAt: new Date(Date.now() - 1000) } })
  t.regex((await new Visitor(f).get('/set-up')).text, /The set-up code has expired/)
  t.is((await setUp(f, code)).status, 422)
})

test('a missing name or address is explained, and costs no try', async (t) => {
  const { stack, f } = t.context
  const code = await newCode(stack)
  t.regex((await setUp(f, code, { ...ANA, email: 'ana' })).text, /Enter your email address, like/)
  t.regex((await setUp(f, code, { ...ANA, name: ' ' })).text, /Enter your own name/)
  t.regex((await setUp(f, code, { ...ANA, familyName: '' })).text, /Enter a name for your family/)
  t.regex((await setUp(f, WRONG)).text, /You have \d tries left/)
})

test('two people who enter the code at the same moment create one family, whose owner is signed in', async (t) => {
  const { stack, f, sink } = t.context
  const code = await newCode(stack)
  const eve = { name: 'Eve', email: 'eve@other.example', familyName: 'Others' }
  const visitors = [new Visitor(f), new Visitor(f)] as const
  const answers = await Promise.all([setUp(f, code, ANA, visitors[0]), setUp(f, code, eve, visitors[1])])
  const won = answers.findIndex(({ status }) => status === 303)
  t.is(answers.filter(({ status }) => status === 303).length, 1)
  t.true([404, 422].includes(answers[1 - won]?.status ?? 0))
  t.is(answers[won]?.headers.location, '/settings/passkeys')
  const owner = visitors[won === 0 ? 0 : 1]
  const passkeys = await owner.get('/settings/passkeys')
  t.is(passkeys.status, 200)
  t.regex(passkeys.text, /inbox is ready. Add a passkey/)
  await using workspaces = await rowsOf(stack, 'care-circle', 'workspaces')
  await using members = await rowsOf(stack, 'care-circle', 'members')
  t.is(await workspaces.countDocuments({}), 1)
  t.is(await members.countDocuments({ role: 'ROLE_OWNER' }), 1)
  const email = (won === 0 ? ANA : eve).email
  const again = await signIn(f, sink, email)
  // A mailed code signs the owner in from now on; a busy machine may answer with a page that says to try again.
  await readUntil(
    () => again.get('/'),
    ({ status }) => status === 200,
  )
  t.is((await new Visitor(f).get('/set-up')).status, 404)
  t.is((await setUp(f, code)).status, 404)
  t.is(await createSetUpCode(stack.target), undefined, 'and there is no other code')
})

test('an operator whose answer was lost enters the same code again and is signed in, and nobody else is', async (t) => {
  const { stack, f } = t.context
  await deleteFamily(stack)
  const code = await newCode(stack)
  await using codes = await rowsOf(stack, 'auth', 'set_up_codes')
  const given = await codes.findOne({})
  t.is((await setUp(f, code)).status, 303)
  // As auth leaves it when care-circle does not answer in time.
  await codes.replaceOne({ _id: given?._id }, { ...given }, { upsert: true })
  t.is((await setUp(f, code, { name: 'Eve', email: 'eve@other.example', familyName: 'Others' })).status, 404)
  const visitor = new Visitor(f)
  t.is((await setUp(f, code, ANA, visitor)).status, 303)
  t.is((await visitor.get('/settings/passkeys')).status, 200)
  t.is((await new Visitor(f).get('/set-up')).status, 404)
})

for (const [device, viewport] of [
  ['phone', { width: 360, height: 640 }],
  ['desk', { width: 1280, height: 800 }],
] as const)
  onScreen(`on a ${device}, the operator sets up the family, adds a passkey, and signs in with it`, async (t) => {
    const { stack, f } = t.context
    await deleteFamily(stack)
    const code = await newCode(stack)
    await using browser = await openBrowser()
    const context = await browser.newContext({ viewport })
    const page = await context.newPage()
    await addAuthenticator(context, page)
    const fillIn = async () => {
      await page.goto(`${stack.inboxUrl}/set-up`)
      await page.getByLabel('Set-up code').fill(code.toUpperCase().replaceAll('-', ' '))
      await page.getByLabel('Your name').fill(ANA.name)
      await page.getByLabel('Your email address').fill(ANA.email)
      await page.getByLabel('Family name').fill(ANA.familyName)
      const answered = page.waitForResponse((response) => response.request().method() === 'POST')
      await page.getByRole('button', { name: 'Create family' }).click()
      return (await answered).status()
    }
    await readUntil(fillIn, isAnswered)
    await page.waitForURL('**/settings/passkeys')
    t.is(await page.evaluate('document.documentElement.scrollWidth - innerWidth'), 0)
    await addPasskey(f, page, `My ${device}`)
    await page.goto(`${stack.inboxUrl}/care-circle`)
    t.true(await page.getByText(ANA.familyName).first().isVisible())
    await context.clearCookies()
    await signInByPasskey(f, page)
    await page.goto(`${stack.inboxUrl}/`)
    t.true((await page.getByRole('contentinfo').textContent())?.includes(ANA.email))
  })
