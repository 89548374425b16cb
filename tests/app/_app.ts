import type { Browser, BrowserContext } from 'playwright-core'
import type { Family } from '../_family.ts'
import type { startMailSink } from '../_mail-sink.ts'
import { signIn, Visitor } from '../_visitor.ts'

export type Sink = Awaited<ReturnType<typeof startMailSink>>

/** Signs a person in by the code in their mail, and opens a browser that has their session. */
export async function openAs(
  f: Family,
  sink: Sink,
  browser: Browser,
  email: string,
  options = {},
): Promise<BrowserContext> {
  const { cookie } = await signIn(f, sink, email)
  return openWith(f, browser, cookie, options)
}

/** A browser with these cookies. */
export async function openWith(f: Family, browser: Browser, cookie: string, options = {}): Promise<BrowserContext> {
  const context = await browser.newContext(options)
  const cookies = cookie.split('; ').map((pair) => {
    const at = pair.indexOf('=')
    return { name: pair.slice(0, at), value: pair.slice(at + 1), url: f.stack.inboxUrl }
  })
  await context.addCookies(cookies)
  return context
}

export { signIn, Visitor }
