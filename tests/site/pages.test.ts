import anyTest, { type TestFn } from 'ava'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { violationsOf } from './_axe.ts'
import { findChromium, launchBrowser } from './_browser.ts'
import { findBeyondPhones, lengthenNames } from './_phone.ts'
import { scenes } from './_scenes.ts'
import { openSite, type RunningSite } from './_site.ts'
import { visitScene } from './_visit-scene.ts'

/** A site with its own world and a browser window; scenes take turns, and lanes run in parallel. */
type Lane = { site: RunningSite; context: BrowserContext; page: Page; complaints: string[] }

const test = anyTest as TestFn<{ browser: Browser; lanes: Lane[]; takeLane(): Promise<Lane & Disposable> }>
const LANES = 2
const PHONE = { width: 360, height: 740 }
// Skipped without Chromium.
const onScreen = findChromium() === undefined ? test.skip : test

anyTest.before(async (t) => {
  if (findChromium() === undefined) return
  const browser = await launchBrowser()
  const lanes = await Promise.all(Array.from({ length: LANES }, () => openLane(browser)))
  t.context = { browser, lanes, takeLane: createLaneQueue(lanes) }
})

anyTest.after.always(async (t) => {
  const { browser, lanes } = t.context as { browser?: Browser; lanes?: Lane[] }
  await browser?.close()
  await Promise.all(lanes?.map(({ site }) => site[Symbol.asyncDispose]()) ?? [])
})

for (const scene of scenes)
  onScreen(`${scene.name}: the page is accessible`, async (t) => {
    using lane = await t.context.takeLane()
    const { context, site, page, complaints } = lane
    await page.goto('about:blank') // drops late messages of the previous scene
    complaints.length = 0
    await page.setViewportSize(PHONE)
    await page.emulateMedia({ colorScheme: 'light' })
    await visitScene(context, site, scene, page)
    t.deepEqual(await violationsOf(page, 'light'), [])
    await page.emulateMedia({ colorScheme: 'dark' })
    t.deepEqual(await violationsOf(page, 'dark'), [], 'in dark mode')
    t.deepEqual(await page.evaluate(TOO_SMALL), [], 'every target is at least 44 px high')
    t.deepEqual(await page.evaluate(LANDMARKS), { lang: 'en', h1: 1, main: 1, header: 1, footer: 1 })
    t.regex(await page.title(), /^.{4,} · .{4,}$/)
    t.deepEqual(complaints, [], 'no policy violations and no requests to other hosts')
    t.deepEqual(await findBeyondPhones(page), [], 'it fits on phones')
    await lengthenNames(page, site.world)
    t.deepEqual(await findBeyondPhones(page), [], 'it fits on phones with long names')
  })

onScreen('a refused form announces the error first and links to the field', async (t) => {
  using lane = await t.context.takeLane()
  const { site } = lane
  await using context = await t.context.browser.newContext({ javaScriptEnabled: false })
  const scene = scenes.find(({ name }) => name === 'sign-in-error')
  const page = await visitScene(context, site, scene ?? { name: '', path: '/' })
  t.regex(await page.title(), /^Error: /)
  t.is(await page.locator(':focus').getAttribute('class'), 'problems')
  await page.getByRole('alert').getByRole('link').click()
  await page.keyboard.type('ana@example.org')
  t.is(await page.getByLabel('Your email address').inputValue(), 'ana@example.org')
  const describedBy = await page.getByLabel('Your email address').getAttribute('aria-describedby')
  t.is(describedBy, 'email-error')
})

onScreen('a person can sign in with the keyboard only', async (t) => {
  using lane = await t.context.takeLane()
  const { site } = lane
  await using context = await t.context.browser.newContext({ javaScriptEnabled: false })
  const page = await visitScene(context, site, { name: 'sign-in', path: '/sign-in' })
  await page.keyboard.press('Tab')
  t.is(await page.locator(':focus').textContent(), 'Skip to content')
  await page.keyboard.press('Enter')
  await page.keyboard.press('Tab')
  await page.keyboard.type('ana@example.org')
  await page.keyboard.press('Enter')
  await page.locator('[name=code]:focus').waitFor()
  await page.keyboard.type('4829 1377')
  await page.keyboard.press('Enter')
  await page.waitForURL(`${site.url}/`)
  t.is(await page.locator('h1').textContent(), 'Rosa Martin’s inbox')
})

async function openLane(browser: Browser): Promise<Lane> {
  const site = await openSite()
  const context = await browser.newContext({ viewport: PHONE })
  return { site, context, page: await context.newPage(), complaints: watchFor(context, site) }
}

/** Hands out free lanes in the order of the requests. */
function createLaneQueue(lanes: readonly Lane[]): () => Promise<Lane & Disposable> {
  const free = [...lanes]
  const waiting: ((lane: Lane) => void)[] = []
  const giveBack = (lane: Lane) => {
    const next = waiting.shift()
    if (next) next(lane)
    else free.push(lane)
  }
  return async () => {
    const lane = free.shift() ?? (await new Promise<Lane>((resolve) => waiting.push(resolve)))
    return { ...lane, [Symbol.dispose]: () => giveBack(lane) }
  }
}

// Links within a sentence (WCAG 2.2, 2.5.8) and boxes within their label are exempt.
const TOO_SMALL = `[...document.querySelectorAll('button, .button, .tick, input:not([type=hidden]), nav a, .links a')]
  .filter((target) => !target.closest('.tick') || target.matches('.tick'))
  .filter((target) => target.checkVisibility() && target.getBoundingClientRect().height < 44)
  .map((target) => target.outerHTML)`

const LANDMARKS = `(() => {
  const count = (selector) => document.querySelectorAll(selector).length
  return {
    lang: document.documentElement.lang,
    h1: count('h1'), main: count('main'), header: count('header'), footer: count('footer'),
  }
})()`

function watchFor(context: BrowserContext, site: RunningSite): string[] {
  const complaints: string[] = []
  context.on('console', (message) => {
    // Chromium logs every 4xx and 5xx response, which some scenes expect.
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
      complaints.push(message.text())
  })
  context.on('request', (request) => {
    if (![site.url, site.publicUrl].some((ours) => request.url().startsWith(`${ours}/`))) complaints.push(request.url())
  })
  return complaints
}
