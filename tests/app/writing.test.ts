import { randomText } from '@family-inbox/service-kit/ids/ids'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import type { Guest } from '../_family.ts'
import { until } from '../_wait.ts'
import { deliver, plainMail } from '../inbox/_smtp-client.ts'
import { openSharedScenes, openWith, type Sink, signIn as signInAgain, type Visitor } from './_app.ts'

const { test, onScreen } = openSharedScenes('standard', { withMail: true })

/** Each person signs in once, because sign-in codes are rate limited. */
const visitors = new Map<string, Promise<Visitor>>()

function signIn(f: Guest, sink: Sink, email: string): Promise<Visitor> {
  const known = visitors.get(email) ?? signInAgain(f, sink, email)
  visitors.set(email, known)
  return known
}

type World = { f: Guest; sink: Sink; browser: Browser }

async function openAs({ f, sink, browser }: World, email: string, options = {}): Promise<BrowserContext> {
  return openWith(f, browser, (await signIn(f, sink, email)).cookie, options)
}

type Letter = { sender: string; path: string; url: string }

async function receiveLetter({ f, sink }: World): Promise<Letter> {
  const sender = `${randomText(8)}@clinic.example`
  const subject = `Letter ${randomText(8)}`
  const [lovedOne] = f.family.lovedOnes
  const { id = '', inboxAddress = '' } = lovedOne ?? {}
  const raw = plainMail(subject, 'Can you come on Monday?').replace('desk@clinic.example', sender)
  const answer = await deliver(f.stack.smtpPort, inboxAddress, raw)
  if (!answer.startsWith('250')) throw new Error(answer)
  const visitor = await signIn(f, sink, f.family.people.owner)
  const { text } = await visitor.get(`/inbox/${id}`)
  const messageId = new RegExp(`/inbox/${id}/(msg_[a-z0-9]+)[^>]*><bdi>${subject}`).exec(text)?.[1] ?? ''
  const path = `/inbox/${id}/${messageId}`
  return { sender, path, url: f.stack.inboxUrl + path }
}

const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click()
const openComposer = (page: Page) => page.locator('summary', { hasText: 'Reply' }).click()
const composer = (page: Page) => page.getByLabel('Your reply')
const saved = (page: Page) => page.getByText('Saved', { exact: true }).waitFor()

onScreen('what I type is there after a reload, in another tab, after Back, and on another device', async (t) => {
  const { url } = await receiveLetter(t.context)
  const email = t.context.f.family.people.owner
  await using context = await openAs(t.context, email, { viewport: { width: 390, height: 844 } })
  const page = await context.newPage()
  const posts: number[] = []
  page.on('requestfinished', (request) => {
    // By the browser's clock: on a busy machine, several can be heard of at once.
    if (request.url().endsWith('/draft')) posts.push(request.timing().startTime)
  })
  await page.goto(url)
  t.false(await composer(page).isVisible(), 'Reply is a button')
  await openComposer(page)
  await composer(page).pressSequentially('Dear doctor, we come on Monday.', { delay: 60 })
  await saved(page)
  t.true(posts.length > 1)
  for (const [index, at] of posts.entries()) t.true(at - (posts[index - 1] ?? 0) > 900, 'one save a second')
  await page.reload()
  t.is(await composer(page).inputValue(), 'Dear doctor, we come on Monday.')
  await composer(page).press('End')
  await composer(page).pressSequentially(' See you')
  await page.getByRole('link', { name: 'Back to inbox' }).click()
  await page.goBack()
  t.is(await composer(page).inputValue(), 'Dear doctor, we come on Monday. See you')
  const tab = await context.newPage()
  await tab.goto(url)
  t.is(await composer(tab).inputValue(), 'Dear doctor, we come on Monday. See you')
  await using device = await openAs(t.context, email, { javaScriptEnabled: false })
  const other = await device.newPage()
  await other.goto(url)
  t.is(await composer(other).inputValue(), 'Dear doctor, we come on Monday. See you')
})

onScreen('without a connection the text stays on this device, and is saved when the connection is back', async (t) => {
  const { url } = await receiveLetter(t.context)
  await using context = await openAs(t.context, t.context.f.family.people.owner)
  const page = await context.newPage()
  await page.goto(url)
  await openComposer(page)
  await context.route('**/draft', (route) => route.abort())
  await composer(page).fill('Written in a tunnel.')
  await page.getByText('Saved on this device only').waitFor()
  await page.reload()
  t.is(await composer(page).inputValue(), 'Written in a tunnel.')
  await context.unroute('**/draft')
  await saved(page)
  t.is(await page.evaluate('localStorage.length'), 0, 'the server has it')
})

onScreen('a reply from an ended session keeps its text, and is sent once after signing in', async (t) => {
  const { url, path, sender } = await receiveLetter(t.context)
  const { f, sink } = t.context
  await using context = await openAs(t.context, f.family.people.owner)
  const page = await context.newPage()
  await page.goto(url)
  await openComposer(page)
  await composer(page).fill('We come on Monday.')
  await saved(page)
  const cookies = await context.cookies()
  await context.clearCookies()
  await press(page, 'Send reply')
  await page.getByRole('heading', { name: 'Your reply was not sent' }).waitFor()
  t.is(await composer(page).inputValue(), 'We come on Monday.')
  await press(page, 'Send reply')
  await page.getByText('Your session ended').waitFor()
  t.regex((await page.getByRole('link', { name: 'Sign in' }).getAttribute('href')) ?? '', /return_to=%2Finbox/)
  await context.addCookies(cookies)
  await press(page, 'Send reply')
  await page.getByText('Sending in a few seconds').waitFor()
  t.false(await composer(page).isVisible())
  t.is(await page.evaluate('localStorage.length'), 0)
  await page.getByText('Delivered to their mail server').waitFor()
  const mails = await sink.waitFor(sender)
  t.is(mails.length, 1)
  const again = await (await signIn(f, sink, f.family.people.owner)).get(`${path}/reply`)
  t.deepEqual([again.status, again.headers.location], [303, path])
})

for (const lost of ['request', 'response'] as const)
  onScreen(`a reply whose ${lost} was lost on a bad line arrives once and whole`, async (t) => {
    const { url, sender } = await receiveLetter(t.context)
    await using context = await openAs(t.context, t.context.f.family.people.owner)
    const page = await context.newPage()
    await page.goto(url)
    await openComposer(page)
    await composer(page).fill('We come on Monday.')
    await context.route('**/reply', async (route) => {
      if (lost === 'response') await route.fetch({ maxRedirects: 0 })
      await route.abort()
    })
    await press(page, 'Send reply').catch(() => undefined)
    await page.waitForURL('chrome-error://**', { timeout: 2000 }).catch(() => undefined)
    await context.unroute('**/reply')
    await page.goto(url)
    t.is(await composer(page).inputValue(), 'We come on Monday.')
    await press(page, 'Send reply')
    await page.getByText('Delivered to their mail server').waitFor()
    t.is(await page.locator('.turn.ours').count(), 1)
    const mails = await t.context.sink.waitFor(sender)
    t.is(mails.length, 1)
    t.true(mails[0]?.raw.includes('We come on Monday.'))
  })

onScreen('someone else on the same device neither sees, saves, nor sends what I wrote', async (t) => {
  const { url } = await receiveLetter(t.context)
  const { f } = t.context
  await using context = await openAs(t.context, f.family.people.owner)
  await using theirs = await openAs(t.context, f.family.people.coordinator)
  const page = await context.newPage()
  await page.goto(url)
  await openComposer(page)
  await composer(page).fill('For')
  await saved(page)
  await context.clearCookies()
  await composer(page).fill('For the doctor only.')
  await page.getByText('Saved on this device only').waitFor()
  await context.addCookies(await theirs.cookies())
  const other = await context.newPage()
  await other.goto(url)
  t.is(await composer(other).inputValue(), '', 'their draft is theirs')
  await press(page, 'Send reply')
  await page.getByText('Someone else is signed in now').waitFor()
  t.is(await composer(page).inputValue(), 'For the doctor only.')
  await other.goto(url)
  t.is(await composer(other).inputValue(), '')
  t.is(await other.locator('.turn.ours').count(), 0)
  await page.close()
  await other.locator('footer').getByRole('button', { name: 'Sign out' }).click()
  await other.getByRole('heading', { name: 'You are signed out' }).waitFor()
  t.is(await other.evaluate('localStorage.length'), 0)
  visitors.delete(f.family.people.coordinator)
})

const NOTE_LISTENING = `window.EventSource = class extends EventSource {
  constructor(address) {
    super(address)
    this.addEventListener('listening', () => (window.isListening = true))
  }
}`

onScreen('others see who is writing', async (t) => {
  const { url } = await receiveLetter(t.context)
  const { people } = t.context.f.family
  await using mine = await openAs(t.context, people.owner)
  await using theirs = await openAs(t.context, people.viewer)
  const [page, other] = await Promise.all([mine.newPage(), theirs.newPage()])
  await other.addInitScript(NOTE_LISTENING)
  await Promise.all([page.goto(url), other.goto(url)])
  await until(() => other.evaluate('window.isListening === true'))
  await openComposer(page)
  await composer(page).pressSequentially('We come')
  await other.getByText(/ is writing a reply$/).waitFor()
  t.is(await page.locator('#writing').textContent(), '')
  await other.reload()
  t.regex((await other.locator('#writing').textContent()) ?? '', / is writing a reply$/)
  await other.locator('#writing:empty').waitFor({ state: 'attached', timeout: 15_000 })
})

for (const javaScriptEnabled of [true, false])
  onScreen(
    `a reply can be undone for a few seconds ${javaScriptEnabled ? 'with' : 'without'} JavaScript`,
    async (t) => {
      const { url, sender } = await receiveLetter(t.context)
      await using context = await openAs(t.context, t.context.f.family.people.owner, { javaScriptEnabled })
      const page = await context.newPage()
      await page.goto(url)
      await openComposer(page)
      await composer(page).fill('We come on Monday.')
      await press(page, 'Include their message')
      await page.getByText('> Can you come on Monday?').waitFor()
      t.true((await composer(page).inputValue()).startsWith('We come on Monday.\n\nOn '))
      await composer(page).fill('We come on Tuesday.')
      await press(page, 'Send reply')
      await press(page, 'Undo')
      await page.getByText('Your reply was not sent').waitFor()
      t.is(await composer(page).inputValue(), 'We come on Tuesday.')
      t.is(await page.locator('.turn.ours').count(), 0)
      await composer(page).fill('We come on Wednesday.')
      await press(page, 'Send reply')
      await page.getByText('Sending in a few seconds').waitFor()
      const [mail] = await t.context.sink.waitFor(sender)
      t.true(mail?.raw.includes('We come on Wednesday.'))
      t.is(t.context.sink.mails.filter(({ to }) => to.includes(sender)).length, 1)
    },
  )

test('a reply that an assistant sent says so', async (t) => {
  const { path } = await receiveLetter(t.context)
  const { f, sink } = t.context
  const [, , lovedOneId, messageId] = path.split('/')
  await f.call(f.family.keys.owner, 'reply_to_inbox_message', { lovedOneId, messageId, body: 'We come on Monday.' })
  const visitor = await signIn(f, sink, f.family.people.owner)
  t.regex((await visitor.get(path)).text, /Ana Almeida<\/bdi>’s assistant \(<bdi>[^<]+<\/bdi>\)<\/strong> replied to/)
})

test('the longest reply in any script is kept and sent', async (t) => {
  const { path, sender } = await receiveLetter(t.context)
  const { f, sink } = t.context
  const visitor = await signIn(f, sink, f.family.people.owner)
  const form = { body: '日'.repeat(20_000), key: randomText(8) }
  t.is((await visitor.submit(`${path}/draft`, form)).status, 303)
  t.true((await visitor.get(path)).text.includes(form.body))
  t.is((await visitor.submit(`${path}/reply`, form)).status, 303)
  t.is((await sink.waitFor(sender)).length, 1)
})

test('a draft is saved without JavaScript, and programs cannot save without limit', async (t) => {
  const { path } = await receiveLetter(t.context)
  const { f, sink } = t.context
  const visitor = await signIn(f, sink, f.family.people.owner)
  const form = { body: 'Later.', key: randomText(8) }
  const saving = await visitor.submit(`${path}/draft`, form)
  t.deepEqual([saving.status, saving.headers.location], [303, `${path}#reply`])
  t.true((await visitor.get(path)).text.includes('Draft saved'))
  const save = async () => (await visitor.submit(`${path}/draft`, { ...form, typing: '1' })).status
  const statuses = new Set<number>()
  // On a busy machine, the saves of one round can be too far apart.
  await until(async () => {
    for (const status of await Promise.all(Array.from({ length: 40 }, save))) statuses.add(status)
    return statuses.has(429)
  })
  t.true(statuses.has(204))
  const viewer = await signIn(f, sink, f.family.people.viewer)
  t.is((await viewer.submit(`${path}/draft`, { ...form, typing: '1' })).status, 403)
})

onScreen('a reply ends with the line that the family set, and undoing it brings back my words only', async (t) => {
  const { f, sink } = t.context
  const [{ id = '' } = {}] = f.family.lovedOnes
  const line = `For Rosa ${randomText(6)}`
  await using context = await openAs(t.context, f.family.people.owner)
  const page = await context.newPage()
  await page.goto(`${f.stack.inboxUrl}/settings/reply-footers`)
  await page.locator(`[name="text-${id}"]`).fill(line)
  await page.getByRole('button', { name: /^Save/ }).first().click()
  await page.getByText('Replies end with this line').waitFor()
  const { sender, url, path } = await receiveLetter(t.context)
  await page.goto(url)
  await openComposer(page)
  await page.getByText(`Ends with: ${line}`).waitFor()
  await composer(page).fill('Yes, at ten.')
  await press(page, 'Send reply')
  await press(page, 'Undo')
  await page.getByText('Your reply was not sent').waitFor()
  t.is(await composer(page).inputValue(), 'Yes, at ten.')
  await press(page, 'Send reply')
  const [mail] = await sink.waitFor(sender)
  t.true(mail?.raw.includes(line))
  await page.getByText('Delivered to their mail server').waitFor()
  t.true((await page.locator('.turn.ours').textContent())?.includes(line))
  const viewer = await signIn(f, sink, f.family.people.viewer)
  const form = { for: id, [`text-${id}`]: 'For nobody' }
  t.is((await viewer.submit('/settings/reply-footers', form)).status, 403)
  t.true((await viewer.get('/settings/reply-footers')).text.includes(line))
  const strangers = await f.another()
  const stranger = await signIn(f, sink, strangers.people.owner)
  t.is((await stranger.submit('/settings/reply-footers', form)).status, 404)
  const owner = await signIn(f, sink, f.family.people.owner)
  t.is((await owner.submit('/settings/reply-footers', { ...form, [`text-${id}`]: 'x'.repeat(201) })).status, 422)
  await owner.submit('/settings/reply-footers', { ...form, [`text-${id}`]: '' })
  t.false((await owner.get(path)).text.includes('Ends with'))
})
