import type { ExecutionContext } from 'ava'
import { violationsOf } from './_axe.ts'
import { type Lane, visitOnPhone } from './_lanes.ts'
import { findBeyondPhones, lengthenNames } from './_phone.ts'
import type { Scene } from './scenes/_scene.ts'

/** Whether a page is accessible and fits on phones, even with long names. @param schemes light first */
export async function checkPage(
  t: ExecutionContext,
  lane: Lane,
  scene: Scene,
  schemes: readonly ('light' | 'dark')[] = ['light'],
): Promise<void> {
  const { site, page, complaints } = lane
  await visitOnPhone(lane, scene)
  for (const colorScheme of schemes) {
    await page.emulateMedia({ colorScheme })
    t.deepEqual(await violationsOf(page, colorScheme), [], `in ${colorScheme} mode`)
  }
  t.deepEqual(await page.evaluate(TOO_SMALL), [], 'every target is at least 44 px high')
  t.deepEqual(await page.evaluate(LANDMARKS), { lang: 'en', h1: 1, main: 1, header: 1, footer: 1 })
  t.regex(await page.title(), /^.{4,} · .{4,}$/)
  t.deepEqual(complaints, [], 'no policy violations and no requests to other hosts')
  t.deepEqual(await findBeyondPhones(page), [], 'it fits on phones')
  await lengthenNames(page, site.world)
  t.deepEqual(await findBeyondPhones(page), [], 'it fits on phones with long names')
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
