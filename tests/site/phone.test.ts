import type { Page } from 'playwright-core'
import { openSharedScenes, openWith } from '../app/_app.ts'
import { openLongFamily } from './_long-family.ts'
import { findBeyondPhones, LONG_WORD } from './_phone.ts'

const { onScreen } = openSharedScenes('standard', { withMail: true })

/** Pages that no link leads to. */
const UNLINKED = ['/settings/tool-keys/created', '/welcome', '/onboarding', '/confirm', '/nowhere']
/** Of pages that differ only by ids and what follows the path. */
const MOST_ALIKE = 4

onScreen('however long names and words are, every page fits on a phone, and the bar stays on its screen', async (t) => {
  const { f, sink, browser } = t.context
  const owner = await openLongFamily(f, sink)
  const found = await owner.submit('/inbox/search', { words: LONG_WORD })
  await using context = await openWith(f, browser, owner.cookie, { isMobile: true, hasTouch: true })
  const page = await context.newPage()
  const seen: string[] = []
  for await (const path of walk(page, f.stack.inboxUrl, ['/', String(found.headers.location), ...UNLINKED])) {
    seen.push(path)
    t.deepEqual(await findBeyondPhones(page), [], path)
  }
  t.true(seen.length > 80, `links led to ${seen.length} pages`)
  await page.goto(f.stack.inboxUrl)
  t.deepEqual(await page.evaluate(CUT_OR_COVERED), [], 'the next name, and the number of messages, can be seen')
})

/** Opens every page that links lead to. @yields their paths */
async function* walk(page: Page, origin: string, ahead: string[]): AsyncGenerator<string> {
  const met: string[] = []
  for (const path of ahead) {
    await page.goto(origin + path)
    yield page.url().slice(origin.length)
    for (const href of await page.evaluate<string[]>(LINKS)) {
      const kind = href.replace(/\?.*/, '').replaceAll(/\/[a-z]+_\w{10,}|\d+/g, '/*')
      if (ahead.includes(href) || met.filter((one) => one === kind).length >= MOST_ALIKE) continue
      met.push(kind)
      ahead.push(href)
    }
  }
}

const LINKS = `[...document.querySelectorAll('a[href]:not([download])')]
  .filter((one) => one.origin === location.origin)
  .map((one) => one.pathname + one.search)`

const CUT_OR_COVERED = `[...document.querySelectorAll('.switcher li, .mail .from')]
  .filter((one) => one.scrollWidth > one.clientWidth)
  .map((one) => one.textContent)`
