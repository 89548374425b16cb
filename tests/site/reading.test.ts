import anyTest, { type TestFn } from 'ava'
import type { Browser, Page } from 'playwright-core'
import { findChromium, openBrowser } from './_browser.ts'
import { openSite, type RunningSite } from './_site.ts'
import { newWorld } from './_world.ts'
import { letter } from './world/_inbox.ts'

const test = anyTest.serial as TestFn<{ site: RunningSite; browser: Browser }>
const onScreen = findChromium() === undefined ? test.skip : test
const DESK = { width: 1440, height: 900 }

test.before(async (t) => {
  t.context = { site: await openSite(), browser: await openBrowser() }
})
test.beforeEach((t) => {
  Object.assign(t.context.site.world, newWorld())
  t.context.site.world.sessions.add('secret')
})
test.after.always(async (t) => {
  await t.context.browser?.close()
  await t.context.site?.[Symbol.asyncDispose]()
})

async function openAt({ site, browser }: { site: RunningSite; browser: Browser }, path: string): Promise<Page> {
  const context = await browser.newContext({ viewport: DESK })
  await context.addCookies([{ name: 'family_session', value: 'secret', url: site.url }])
  const page = await context.newPage()
  await page.goto(site.url + path)
  return page
}

const topOf = async (page: Page, id: string) => (await page.locator(`[data-id=${id}]`).boundingBox())?.y ?? -1

onScreen('a code has a Copy button when its message opens beside the list', async (t) => {
  const forwardingConfirmation = { provider: 'gmail', code: '987654321', link: '' }
  t.context.site.world.inbox.messages = [
    letter('msg_code', { from: 'Gmail Team', subject: 'Your request', more: { forwardingConfirmation } }),
  ]
  const page = await openAt(t.context, '/')
  await page.getByRole('link', { name: 'Your request' }).click()
  await page.getByRole('button', { name: /^Copy/ }).waitFor()
  await page.context().close()
  t.pass()
})

onScreen('a message far down the list opens where it was clicked, and stays in view', async (t) => {
  t.context.site.world.inbox.messages = Array.from({ length: 40 }, (_, index) =>
    letter(`msg_${index}`, { from: 'Desk', subject: `Letter ${index}`, body: 'Good day' }),
  )
  const page = await openAt(t.context, '/')
  for (const clicked of ['msg_30', 'msg_35']) {
    await page.locator(`[data-id=${clicked}]`).scrollIntoViewIfNeeded()
    const before = await topOf(page, clicked)
    await page.locator(`[data-id=${clicked}] a`).click()
    await page.locator(`[data-id=${clicked}].open`).waitFor()
    t.true(Math.abs((await topOf(page, clicked)) - before) < 80, clicked)
  }
  await page.reload()
  const top = await topOf(page, 'msg_35')
  t.true(top > 0 && top < DESK.height - 50, `after a reload: ${top}`)
  await page.context().close()
})

onScreen('the keyboard moves through the list, replies, searches, and shows its shortcuts', async (t) => {
  const { site } = t.context
  site.world.inbox.messages = ['First', 'Second'].map((subject) =>
    letter(`msg_${subject}`, { from: 'The desk', subject, unread: true, body: 'Good day' }),
  )
  const page = await openAt(t.context, '/')
  const focused = () =>
    page.evaluate('document.activeElement.closest("[data-id]")?.dataset.id ?? document.activeElement.id')
  t.is(await page.getByRole('link', { name: 'Unread. The desk: First', exact: true }).count(), 1)
  await page.keyboard.press('j')
  t.is(await focused(), 'msg_First')
  await page.keyboard.press('j')
  t.is(await focused(), 'msg_Second')
  await page.keyboard.press('k')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { level: 1, name: 'First' }).waitFor()
  await page.keyboard.press('/')
  t.is(await focused(), 'words')
  await page.keyboard.type('jk?')
  t.is(await page.locator('#words').inputValue(), 'jk?')
  await page.keyboard.press('Escape')
  await page.keyboard.press('r')
  t.is(await focused(), await page.locator('.reply textarea').getAttribute('id'))
  await page.keyboard.press('Escape')
  await page.keyboard.press('?')
  await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor()
  await page.getByLabel('Use the single-letter keys').uncheck()
  await page.keyboard.press('Escape')
  await page.keyboard.press('/')
  t.not(await focused(), 'words', 'they can be turned off')
  await page.context().close()
})

onScreen('a letter without plain text of its own shows its original layout first, in print too', async (t) => {
  t.context.site.world.inbox.messages = [
    letter('msg_1', { from: 'Desk', body: 'The letter', more: { hasMarkup: true, showLayoutFirst: true } }),
  ]
  const page = await openAt(t.context, '/inbox/lo_rosa/msg_1')
  t.is(await page.frameLocator('iframe').locator('p').textContent(), 'The letter')
  t.true(await page.locator('iframe').isVisible())
  t.false(await page.locator('.body').first().isVisible())
  await page.getByText('Show as text').click()
  t.true(await page.locator('.body').first().isVisible())
  await page.reload()
  await page.emulateMedia({ media: 'print' })
  t.true(await page.locator('iframe').isVisible())
  t.true(await page.locator('.body').first().isVisible(), 'a frame prints only its first page')
  await page.context().close()
})

onScreen('print shows the original layout when it is open, else the text', async (t) => {
  t.context.site.world.inbox.messages = [
    letter('msg_1', { from: 'Desk', body: 'The letter', more: { hasMarkup: true } }),
  ]
  const page = await openAt(t.context, '/inbox/lo_rosa/msg_1')
  await page.emulateMedia({ media: 'print' })
  t.true(await page.locator('.body').first().isVisible())
  t.false(await page.locator('iframe').isVisible())
  await page.emulateMedia({ media: 'screen' })
  await page.getByText('Show original layout').click()
  await page.emulateMedia({ media: 'print' })
  t.false(await page.locator('.body').first().isVisible())
  t.true(await page.locator('iframe').isVisible())
  await page.context().close()
})

onScreen('each provider’s guide speaks of its own code only, and forwards by sender first', async (t) => {
  const { site } = t.context
  site.world.inbox.forwarding.confirmation = { provider: 'gmail', code: '987654321', link: '' }
  site.world.inbox.forwarding.confirmationReceivedAt = new Date()
  for (const [provider, byFilter] of [
    ['gmail', 'Create a new filter'],
    ['outlook', 'Add new rule'],
    ['icloud', 'Add Rule'],
    ['other', 'Add a rule'],
  ] as const) {
    const page = await openAt(t.context, `/forwarding/lo_rosa?with=${provider}`)
    t.is(await page.locator('#code').count(), provider === 'gmail' ? 1 : 0, provider)
    t.is(await page.getByText('A confirmation from Gmail has arrived').count(), provider === 'gmail' ? 0 : 1)
    t.true(await page.getByText(byFilter).first().isVisible())
    if (provider !== 'other') {
      t.false(await page.getByText('can then read all your new mail').isVisible())
      await page.getByText('Forward everything instead').click()
      t.true(await page.getByText('can then read all your new mail').isVisible())
    }
    await page.context().close()
  }
  site.world.inbox.forwarding.confirmation.provider = 'yahoo'
  const page = await openAt(t.context, '/forwarding/lo_rosa')
  t.is(await page.locator('nav [aria-current]', { hasText: 'Other' }).count(), 1)
  t.is(await page.getByText('Enter this code in Yahoo').count(), 1)
  await page.context().close()
})
