import type { Page } from 'playwright-core'
import { openSharedScenes } from '../app/_app.ts'
import { PHONE } from '../app/_count-actions.ts'
import { addPasskey, openMember, signInByPasskey } from './_authenticator.ts'

const { onScreen } = openSharedScenes()
const SIZES = { phone: PHONE, desk: { viewport: { width: 1280, height: 800 } } }
const ONLY = 'Only sign in with a passkey'

const press = (page: Page, role: 'button' | 'link', name: string) => page.getByRole(role, { name }).press('Enter')

async function type(page: Page, label: string, text: string): Promise<void> {
  await page.getByLabel(label).focus()
  await page.keyboard.type(text)
}

/** With what lets a member refuse codes. */
async function makeSheet(page: Page): Promise<string[]> {
  await press(page, 'button', 'Make a recovery sheet')
  await page.getByText('You can’t see them again later').waitFor()
  return page.locator('ol code').allTextContents()
}

for (const [screen, size] of Object.entries(SIZES))
  onScreen(
    `on a ${screen}, by keyboard, I print a recovery sheet, refuse codes, and sign in with a passkey or a code of the sheet`,
    async (t) => {
      const { f, sink, browser } = t.context
      const { email, context, page } = await openMember(f, sink, browser, size)
      const fits = async () => t.is(await page.evaluate('document.documentElement.scrollWidth'), size.viewport.width)
      await addPasskey(f, page, 'My phone')
      t.false(await page.getByRole('button', { name: ONLY }).isVisible())
      await fits()
      const codes = await makeSheet(page)
      t.is(codes.length, 8)
      await fits()
      await page.emulateMedia({ media: 'print' })
      t.true(await page.locator('ol code').first().isVisible())
      await page.emulateMedia({ media: 'screen' })
      await press(page, 'link', 'Done')
      await page.getByText('8 codes are left').waitFor()
      await fits()
      await press(page, 'button', ONLY)
      await page.getByText('Only a passkey signs you in now').waitFor()
      await fits()
      await page.goto(`${f.stack.inboxUrl}/settings`)
      await context.clearCookies()
      await signInByPasskey(f, page)
      await context.clearCookies()
      await page.goto(`${f.stack.inboxUrl}/sign-in/recovery`)
      await fits()
      await type(page, 'Your email address', email)
      await type(page, 'Recovery code', codes[0] ?? '')
      await page.keyboard.press('Enter')
      await page.waitForURL((url) => !url.pathname.startsWith('/sign-in'))
      await page.goto(`${f.stack.inboxUrl}/settings/passkeys`)
      await page.getByText('7 codes are left').waitFor()
      const zip = await page.evaluate(async () => {
        const answer = await fetch('/settings/your-data/download', { method: 'POST' })
        return String.fromCharCode(...new Uint8Array(await answer.arrayBuffer()).slice(0, 100_000))
      })
      t.true(zip.includes('passkeyOnlySince'))
      for (const code of codes) t.false(zip.includes(code))
      await press(page, 'button', 'Let codes sign me in again')
      await page.getByText('Codes by email sign you in again.').waitFor()
      await context.close()
    },
  )

onScreen('two of my windows refuse codes at once, and then allow them: both say what is on now', async (t) => {
  const { f, sink, browser } = t.context
  const { context, page } = await openMember(f, sink, browser, PHONE)
  await addPasskey(f, page, 'My phone')
  await makeSheet(page)
  const windows = [page, await context.newPage()]
  for (const one of windows) await one.goto(`${f.stack.inboxUrl}/settings/passkeys`)
  await Promise.all(windows.map((one) => press(one, 'button', ONLY)))
  for (const one of windows) await one.getByText('This is on.').waitFor()
  await Promise.all(windows.map((one) => press(one, 'button', 'Let codes sign me in again')))
  for (const one of windows) await one.getByRole('button', { name: ONLY }).waitFor()
  t.is(await page.getByRole('heading', { name: 'My phone' }).count(), 1)
  await context.close()
})

onScreen('one window refuses codes while another removes the only passkey: I am never locked out', async (t) => {
  const { f, sink, browser } = t.context
  const { context, page } = await openMember(f, sink, browser)
  await addPasskey(f, page, 'My phone')
  await makeSheet(page)
  const other = await context.newPage()
  for (const one of [page, other]) await one.goto(`${f.stack.inboxUrl}/settings/passkeys`)
  await Promise.all([press(page, 'button', ONLY), press(other, 'button', 'Remove My phone')])
  for (const one of [page, other]) await one.locator('.done, [role=alert]').first().waitFor()
  const [only, removal] = [await page.getByRole('alert').count(), await other.getByRole('alert').count()]
  t.is(only + removal, 1, 'one of the two is refused')
  await page.goto(`${f.stack.inboxUrl}/settings/passkeys`)
  t.is(await page.getByRole('heading', { name: 'My phone' }).count(), removal)
  t.is(await page.getByText('This is on.').count(), removal)
  await context.close()
})

onScreen('the passkey I need is not removed, and the page says what to do', async (t) => {
  const { f, sink, browser } = t.context
  const { context, page } = await openMember(f, sink, browser)
  await addPasskey(f, page, 'My phone')
  await page.getByRole('button', { name: 'Make a recovery sheet' }).click()
  await page.getByRole('link', { name: 'Done' }).click()
  await page.getByRole('button', { name: 'Only sign in with a passkey' }).click()
  await page.getByText('Only a passkey signs you in now').waitFor()
  await page.getByRole('button', { name: 'Remove My phone' }).click()
  await page.getByRole('alert').waitFor()
  t.regex((await page.getByRole('alert').textContent()) ?? '', /Add another passkey or make a recovery sheet first/)
  t.true(await page.getByRole('heading', { name: 'My phone' }).isVisible())
  await context.close()
})
