import { readUntil } from '../_wait.ts'
import { violationsOf } from './_axe.ts'
import { openLanes, visitOnPhone } from './_lanes.ts'
import { findBeyondPhones, lengthenNames } from './_phone.ts'
import { scenes } from './_scenes.ts'
import { visitScene } from './_visit-scene.ts'

const { onScreen } = openLanes()

/** What axe has checked: it takes longer than all else together. accessibility.test.ts has every page, and dark mode. */
const checked = new Set<string>()

for (const scene of scenes)
  onScreen(`${scene.name}: the page is accessible`, async (t) => {
    using lane = await t.context.takeLane()
    const { site, page, complaints } = lane
    await visitOnPhone(lane, scene)
    const elements = await page.evaluate<string[]>(ELEMENTS)
    const isNew = elements.some((element) => !checked.has(element))
    for (const element of elements) checked.add(element)
    if (isNew) t.deepEqual(await violationsOf(page, 'light'), [])
    t.deepEqual(await page.evaluate(TOO_SMALL), [], 'every target is at least 44 px high')
    t.deepEqual(await page.evaluate(LANDMARKS), { lang: 'en', h1: 1, main: 1, header: 1, footer: 1 })
    t.regex(await page.title(), /^.{4,} · .{4,}$/)
    t.deepEqual(complaints, [], 'no policy violations and no requests to other hosts')
    t.deepEqual(await findBeyondPhones(page), [], 'it fits on phones')
    await lengthenNames(page, site.world)
    t.deepEqual(await findBeyondPhones(page), [], 'it fits on phones with long names')
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

/** Which elements, with which roles and classes, are within which. */
const ELEMENTS = `[...new Set([...document.querySelectorAll('body *')].map((one) =>
  [one.parentElement, one].map(({ tagName, className, role }) => [tagName, className, role].join('.')).join(' > ')
))]`

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
