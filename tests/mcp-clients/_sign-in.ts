import { on } from 'node:events'
import type { Readable } from 'node:stream'
import type { Browser, Locator, Page } from 'playwright-core'
import type { Sink } from '../_mail-sink.ts'
import { codesTo, nextCode } from '../_visitor.ts'
import { becomesTrue } from '../_wait.ts'

const MOST_TRIES = 4
/** Each page comes within two seconds, or a busy machine answers 503. */
const SHOWN_MS = 8000

/** What a person does in the browser that a client opened: signs in with a code from a mail, and allows the access. */
export async function signIn(
  browser: Browser,
  sink: Sink,
  email: string,
  href: string,
  { readOnly = false } = {},
): Promise<void> {
  const page = await (await browser.newContext()).newPage()
  const allow = page.getByRole('button', { name: 'Allow', exact: true })
  const isAllowed = async () =>
    (await reachesConsent(page, allow, sink, email, href)) && (await returnsToClient(page, allow, readOnly))
  for (let tries = 1; !(await isAllowed()); tries += 1)
    if (tries === MOST_TRIES) throw new Error(`not back at the client after ${tries} tries, but at ${page.url()}`)
}

async function returnsToClient(page: Page, allow: Locator, readOnly: boolean): Promise<boolean> {
  const { origin } = new URL(page.url())
  // Writing with approval is chosen first. A viewer has no choice.
  const choice = page.getByRole('radio', { name: readOnly ? /^Read only/ : /^Write(?!,)/ })
  if ((await choice.count()) > 0) await choice.check()
  await allow.click()
  return becomesTrue(async () => new URL(page.url()).origin !== origin, SHOWN_MS)
}

/** From the beginning, because a busy machine may answer with a page that says to try again. */
async function reachesConsent(page: Page, allow: Locator, sink: Sink, email: string, href: string): Promise<boolean> {
  await page.goto(href)
  const [address, code] = [page.getByLabel('Your email address'), page.getByLabel('Sign-in code')]
  if (!(await isShown(address.or(allow)))) return false
  // Signed in by the try before.
  if (await allow.isVisible()) return true
  await address.fill(email)
  const before = codesTo(sink, email).length
  await page.getByRole('button', { name: 'Send code' }).click()
  if (!(await isShown(code))) return false
  const mail = await nextCode(sink, email, before)
  await code.fill(/\b(\d{4} \d{4})\b/.exec(mail?.raw ?? '')?.[1] ?? '')
  return isShown(allow)
}

function isShown(one: Locator): Promise<boolean> {
  return one.waitFor({ timeout: SHOWN_MS }).then(
    () => true,
    () => false,
  )
}

/** Waits for the address that a client prints for the person to open. */
export async function findAuthorization(printed: Readable): Promise<string> {
  let all = ''
  for await (const [chunk] of on(printed, 'data', { close: ['end'] })) {
    all += String(chunk)
    const [, address] = /(https?:\/\/\S+\/oauth\/authorize\?\S+)\s/.exec(all) ?? []
    if (address !== undefined) return address
  }
  throw new Error(`It opened no browser: ${all}`)
}
