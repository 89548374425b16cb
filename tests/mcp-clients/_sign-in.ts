import { on } from 'node:events'
import type { Readable } from 'node:stream'
import type { Browser } from 'playwright-core'
import type { Sink } from '../_mail-sink.ts'
import { codesTo, nextCode } from '../_visitor.ts'

/** What a person does in the browser that a client opened: signs in with a code from a mail, and allows the access. */
export async function signIn(
  browser: Browser,
  sink: Sink,
  email: string,
  href: string,
  { readOnly = false } = {},
): Promise<void> {
  const page = await (await browser.newContext()).newPage()
  await page.goto(href)
  await page.getByLabel('Your email address').fill(email)
  const before = codesTo(sink, email).length
  await page.getByRole('button', { name: 'Send code' }).click()
  const mail = await nextCode(sink, email, before)
  const code = /\b(\d{4} \d{4})\b/.exec(mail?.raw ?? '')?.[1] ?? ''
  await page.getByLabel('Sign-in code').fill(code)
  const allow = page.getByRole('button', { name: 'Allow', exact: true })
  await allow.waitFor()
  // Writing with approval is chosen first. A viewer has no choice.
  const choice = page.getByRole('radio', { name: readOnly ? /^Read only/ : /^Write(?!,)/ })
  if ((await choice.count()) > 0) await choice.check()
  await allow.click()
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
