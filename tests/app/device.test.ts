import anyTest, { type TestFn } from 'ava'
import type { Browser } from 'playwright-core'
import { findChromium, openBrowser } from '../site/_browser.ts'
import { openSite, type RunningSite } from '../site/_site.ts'
import { visitScene } from '../site/_visit-scene.ts'

const test = anyTest.serial as TestFn<{ site: RunningSite; browser: Browser }>
// Skipped without Chromium.
const onScreen = findChromium() === undefined ? test.skip : test

anyTest.before(async (t) => {
  if (findChromium() === undefined) return
  t.context = { site: await openSite(), browser: await openBrowser() }
})
anyTest.after.always(async (t) => {
  const { site, browser } = t.context as { site?: RunningSite; browser?: Browser }
  await browser?.close()
  await site?.[Symbol.asyncDispose]()
})

onScreen('a browser can install the application', async (t) => {
  const { site, browser } = t.context
  await using context = await browser.newContext()
  const page = await visitScene(context, site, { name: '', signedIn: true, path: '/care-circle' })
  const devtools = await context.newCDPSession(page)
  const { errors, url } = await devtools.send('Page.getAppManifest')
  t.deepEqual(errors, [])
  const { installabilityErrors } = await devtools.send('Page.getInstallabilityErrors')
  // Test windows are incognito, which cannot install.
  t.deepEqual(
    installabilityErrors.map(({ errorId }) => errorId).filter((id) => id !== 'in-incognito'),
    [],
  )
  const manifest = await (await context.request.get(url)).json()
  for (const { src, sizes } of manifest.icons) {
    const icon = await context.request.get(new URL(src, url).href)
    const bytes = await icon.body()
    t.is(`${bytes.readUInt32BE(16)}x${bytes.readUInt32BE(20)}`, sizes, 'the PNG header has this size')
  }
  const touchIcon = await page.locator('link[rel=apple-touch-icon]').getAttribute('href')
  t.is((await context.request.get(new URL(touchIcon ?? '', url).href)).status(), 200)
})

onScreen('the first page shows UTC by name, later pages the reader’s time zone', async (t) => {
  const { site, browser } = t.context
  const scene = { name: '', signedIn: true, path: '/onboarding' }
  const arrange = (world: RunningSite['world']) => {
    const sandbox = {
      workspaceId: 'ws_1',
      familyName: 'A',
      workspaceName: 'A',
      lovedOneName: 'Rosa',
      inboxAddress: 'a@b.c',
    }
    const more = { careContext: '', inviteDrafts: [], messageCount: 0, createdAt: new Date() }
    const expiresAt = new Date('2030-05-12T22:30:00Z')
    world.sandboxes = [{ ...sandbox, ...more, expiresAt }]
  }
  for (const [locale, timeZone, expected] of [
    ['en-US', 'Pacific/Auckland', 'Monday, May 13, 2030 at 10:30 AM'],
    ['de-DE', 'Europe/Lisbon', 'Sunday, 12 May 2030 at 23:30'],
  ] as const) {
    await using context = await browser.newContext({ locale, timezoneId: timeZone })
    const page = await visitScene(context, site, { ...scene, arrange })
    const time = page.locator('time').first()
    t.regex((await time.textContent()) ?? '', / UTC$/)
    await page.reload()
    t.is((await time.textContent())?.replaceAll(/\s/gu, ' '), expected)
    t.is(await time.getAttribute('datetime'), '2030-05-12T22:30:00.000Z')
  }
})
