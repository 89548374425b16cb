import { readUntil } from '../_wait.ts'
import { checkPage } from './_check-page.ts'
import { openLanes, visitOnPhone } from './_lanes.ts'
import { scenes } from './_scenes.ts'
import { visitScene } from './_visit-scene.ts'
import type { Scene } from './scenes/_scene.ts'

const { onScreen } = openLanes()

/** Each page in its first state. accessibility.test.ts has every state, and dark mode. */
const pages = [...Map.groupBy(scenes, pageOf).values()].flatMap((states) => states.slice(0, 1))

for (const scene of pages)
  onScreen(`${scene.name}: the page is accessible`, async (t) => {
    using lane = await t.context.takeLane()
    await checkPage(t, lane, scene)
  })

for (const name of ['message', 'message-answered', 'message-invitation', 'message-viewer', 'message-scam'])
  onScreen(`${name}: eight lines of the letter are on the first screen of a small phone`, async (t) => {
    using lane = await t.context.takeLane()
    const { context, page, site } = lane
    await visitOnPhone(
      lane,
      scenes.find((scene) => scene.name === name),
    )
    await page.setViewportSize({ width: 360, height: 640 })
    // From the second page on, the reader's time zone is known.
    await context.addCookies([{ name: 'time_zone', value: 'America%2FNew_York', url: site.url }])
    await page.reload()
    const lines = await page.evaluate<number>(LINES_IN_VIEW)
    t.true(lines >= 8, `${lines} lines`)
    await page.setViewportSize({ width: 740, height: 360 })
    t.deepEqual(await page.evaluate(FIXED), [], 'held sideways, nothing covers it')
  })

onScreen('an invitation that a busy server could not read at once comes without a reload', async (t) => {
  using lane = await t.context.takeLane()
  const { page, site } = lane
  await visitOnPhone(
    lane,
    scenes.find(({ name }) => name === 'message-invitation-late'),
  )
  site.world.failures.clear()
  await page.locator('#invitations:not(:has(.late)) .invitation').waitFor()
  t.pass()
})

onScreen('a letter’s own layout is as tall as it is, and a wide table of it moves sideways', async (t) => {
  using lane = await t.context.takeLane()
  const { page } = lane
  await visitOnPhone(
    lane,
    scenes.find(({ name }) => name === 'message-layout-first'),
  )
  const heights = `(() => {
    const frame = document.querySelector('.original-layout iframe')
    return { inner: frame.contentDocument?.documentElement?.scrollHeight ?? 0, outer: frame.clientHeight }
  })()`
  // It has none at first, and grows while the letter is drawn.
  const { inner, outer } = await readUntil(
    () => page.evaluate<{ inner: number; outer: number }>(heights),
    (now) => now.inner > 100 && now.outer >= now.inner,
  )
  t.true(outer < inner + 30, `${outer} for ${inner}`)
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

/** Down to the bar at the bottom, or to the end of the screen. */
const LINES_IN_VIEW = `(() => {
  const body = document.querySelector('.message > .body')
  const bars = [...document.querySelectorAll('body *')].filter((one) => getComputedStyle(one).position === 'fixed' && one.checkVisibility())
  const end = Math.min(innerHeight, ...bars.map((one) => one.getBoundingClientRect().top))
  return (end - body.getBoundingClientRect().top) / parseFloat(getComputedStyle(body).lineHeight)
})()`

const FIXED = `[...document.querySelectorAll('body *')]
  .filter((one) => getComputedStyle(one).position === 'fixed' && one.checkVisibility())
  .map((one) => one.className)`

/** What tells one page from another: its path, without ids. */
function pageOf({ isPublic = false, path }: Scene): string {
  return `${isPublic} ${path.replace(/\?.*/, '').replaceAll(/\/(?:[a-z]+_\w+|\d+)/g, '/*')}`
}
