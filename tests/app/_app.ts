import anyTest, { type TestFn } from 'ava'
import type { Browser, BrowserContext } from 'playwright-core'
import { type Guest, joinFamily } from '../_family.ts'
import type { Sink } from '../_mail-sink.ts'
import { signIn, Visitor } from '../_visitor.ts'
import { findChromium, openBrowser, toCookies } from '../site/_browser.ts'

export type { Sink } from '../_mail-sink.ts'

/**
 * Shares a world, with its mail, and a browser among a file's tests, which run one at a time.
 * @returns `test`, and `onScreen`, which is skipped without Chromium
 */
export function openScenes<World extends AsyncDisposable & { sink: Sink }>(join: () => Promise<World>) {
  const test = anyTest.serial as TestFn<{ f: World; sink: Sink; browser: Browser }>
  const hasBrowser = findChromium() !== undefined

  test.before(async (t) => {
    const f = await join()
    t.context = { f, sink: f.sink, browser: hasBrowser ? await openBrowser() : (undefined as never) }
  })
  test.after.always(async (t) => {
    const { f, browser } = t.context
    await browser?.close()
    await f?.[Symbol.asyncDispose]()
  })
  return { test, onScreen: hasBrowser ? test : test.skip }
}

/** The same with a family on a stack that files share. */
export function openSharedScenes(...preset: Parameters<typeof joinFamily>) {
  return openScenes(() => joinFamily(...preset))
}

/** Opens a browser signed in as this person. */
export async function openAs(
  f: Guest,
  sink: Sink,
  browser: Browser,
  email: string,
  options = {},
): Promise<BrowserContext> {
  const { cookie } = await signIn(f, sink, email)
  return openWith(f, browser, cookie, options)
}

/** Opens a browser with these cookies. */
export async function openWith(f: Guest, browser: Browser, cookie: string, options = {}): Promise<BrowserContext> {
  const context = await browser.newContext(options)
  await context.addCookies(toCookies(cookie, f.stack.inboxUrl))
  return context
}

export { signIn, Visitor }
