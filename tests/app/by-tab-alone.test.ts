import type { Page } from 'playwright-core'
import { receiveLetter } from '../_letter.ts'
import { openSharedScenes, openWith, signIn } from './_app.ts'

const { onScreen } = openSharedScenes()

for (const [screen, viewport] of Object.entries({
  phone: { width: 360, height: 640 },
  desk: { width: 1280, height: 800 },
}))
  onScreen(
    `on a ${screen}, with Tab and Enter alone, someone puts a letter aside and back, writes a note, replies, and sees where they are`,
    async (t) => {
      const { f, sink, browser } = t.context
      const family = await f.another()
      const owner = await signIn(f, sink, family.people.owner)
      const letter = await receiveLetter(f, owner, family)
      await using context = await openWith(f, browser, owner.cookie, { viewport })
      const page = await context.newPage()
      const go = async (name: RegExp) => {
        await tabTo(page, name)
        await page.keyboard.press('Enter')
      }
      const says = (text: string | RegExp) => page.getByText(text).first().waitFor()

      await page.goto(`${f.stack.inboxUrl}/inbox/${letter.lovedOneId}`)
      await go(/Letter/)
      await says('More actions')

      await go(/^More actions/)
      await go(/^Move to Junk/)
      await says('Moved to Junk.')
      await go(/^Undo/)
      await says('It is back in the inbox.')

      await go(/^Add a note/)
      await tabTo(page, /^Your note/)
      await page.keyboard.type('They close at noon')
      await go(/^Add note/)
      await page.locator('.note', { hasText: 'They close at noon' }).waitFor()

      await go(/^Reply/)
      // It has the focus as soon as it is shown.
      await page.locator('textarea:focus').waitFor()
      await tabTo(page, /^Your reply/)
      await page.keyboard.type('Monday is fine.')
      await go(/^Send reply/)
      t.is((await sink.waitFor(letter.sender)).length, 1)

      await page.goto(letter.url)
      await go(/^More actions/)
      await go(/^Delete$/)
      await says('Moved to Deleted')
      await go(/^Deleted/)
      await page.getByRole('searchbox', { name: 'Search Deleted' }).waitFor()
      await go(/Letter/)
      await page.getByRole('button', { name: 'Put back' }).waitFor()
      await go(/^Put back/)
      await says('It is back in the inbox.')
    },
  )

/** A page has fewer stops above what people want than this. */
const MOST_STOPS = 40

/** Presses Tab until what has this name has the focus. @throws if that takes too long, or a stop on the way does not show that it has it */
async function tabTo(page: Page, name: RegExp): Promise<void> {
  const passed: string[] = []
  for (let stops = 0; stops < MOST_STOPS; stops += 1) {
    const { label, isShown } = await page.evaluate<Focus>(DESCRIBE_FOCUS)
    if (label !== '' && !isShown) throw new Error(`nothing shows that “${label}” has the focus`)
    if (name.test(label)) return
    passed.push(label)
    await page.keyboard.press('Tab')
  }
  throw new Error(`${name} is not among the first stops: ${passed.join(' | ')}`)
}

/** In the page: nothing where Tab does not stop, as on the page itself or a heading that was just shown. Else the name of what has the focus, and whether it, what it is a part of, or its label is outlined. */
const DESCRIBE_FOCUS = `(() => {
  const focused = document.activeElement
  if (focused.tabIndex < 0) return { label: '', isShown: false }
  const words = focused.getAttribute('aria-label') ?? focused.labels?.[0]?.textContent ?? focused.textContent
  const around = [focused, focused.nextElementSibling, ...(focused.labels ?? [])].filter(Boolean)
  for (let one = focused.parentElement; one; one = one.parentElement) around.push(one)
  const isOutlined = (one) => {
    const { outlineStyle, outlineWidth } = getComputedStyle(one)
    return outlineStyle === 'solid' && parseFloat(outlineWidth) >= 2
  }
  return { label: words.trim().replace(/\\s+/g, ' '), isShown: around.some(isOutlined) }
})()`

type Focus = { label: string; isShown: boolean }
