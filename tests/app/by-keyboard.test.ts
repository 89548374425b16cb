import { randomText } from '@family-inbox/service-kit/ids/ids'
import type { Page } from 'playwright-core'
import { receiveLetter } from '../_letter.ts'
import { openSharedScenes, openWith, signIn } from './_app.ts'
import { PHONE } from './_count-actions.ts'

const { test, onScreen } = openSharedScenes()
const SIZES = { phone: PHONE, desk: { viewport: { width: 1280, height: 800 } } }

for (const [screen, size] of Object.entries(SIZES))
  onScreen(
    `on a ${screen}, a family blocks, notes, plans and shares by keyboard, and takes each of it back`,
    async (t) => {
      const { f, sink, browser } = t.context
      const family = await f.another({ others: ['coordinator', 'viewer'] })
      const owner = await signIn(f, sink, family.people.owner)
      const { path } = await receiveLetter(f, owner, family)
      await using context = await openWith(f, browser, owner.cookie, size)
      const page = await context.newPage()
      const open = (to: string) => page.goto(f.stack.inboxUrl + to)
      const fits = async () => t.is(await page.evaluate('document.documentElement.scrollWidth'), size.viewport.width)

      await open('/settings/blocked-senders')
      await type(page, 'Block an address or a domain', 'offers@shop.example')
      await page.keyboard.press('Enter')
      await page.getByRole('button', { name: /^Unblock/ }).waitFor()
      await fits()
      await press(page, 'button', /^Unblock/)
      await page.getByText('Nobody is blocked.').waitFor()

      await open(path)
      await page.getByText('Add a note', { exact: true }).press('Enter')
      await type(page, 'Your note', 'They close at noon')
      await press(page, 'button', 'Add note')
      await press(page, 'button', /^Delete note/)
      await page.getByText('1 deleted note').press('Enter')
      await page
        .getByRole('button', { name: /^Put back/ })
        .first()
        .waitFor()
      await fits()
      await press(page, 'button', /^Put back/)
      await page.locator('.note', { hasText: 'They close at noon' }).waitFor()

      await open('/to-dos/new')
      await type(page, 'What', 'Pick up tablets')
      await page.keyboard.press('Enter')
      await page.getByText('More actions').press('Enter')
      await press(page, 'link', 'Change')
      await page.getByLabel('What', { exact: true }).waitFor()
      await fits()
      await type(page, 'What', ' at noon')
      await page.keyboard.press('Enter')
      await page.getByRole('heading', { level: 1, name: 'at noon' }).waitFor()
      await page.getByText('More actions').press('Enter')
      await press(page, 'button', 'Remove')
      await press(page, 'button', 'Put back')
      await page.getByText('The to-do is back.').waitFor()
      await fits()

      const sheet = `/emergency-sheets/${family.lovedOnes[0]?.id}`
      await open(`${sheet}/change`)
      await type(page, 'Allergies', 'Penicillin')
      await press(page, 'button', 'Save')
      await press(page, 'button', 'Checked today, nothing changed')
      await page.getByText(/Last checked by/).waitFor()
      await press(page, 'link', /Links to this sheet/)
      await press(page, 'button', 'Create link')
      await page.locator('#code').waitFor()
      await fits()
      await press(page, 'link', 'Done')
      await page.getByRole('button', { name: /^Revoke/ }).waitFor()
      await fits()
      await press(page, 'button', /^Revoke/)
      await page.getByText('Revoked', { exact: true }).waitFor()
      await fits()

      await open('/care-circle')
      await press(page, 'button', /^Ask everyone/)
      await page.getByText(/asks everyone to sign in with a passkey only/).waitFor()
      await fits()
      await press(page, 'button', /^Stop asking/)
      await page.getByText(/asks everyone to sign in with a passkey only/).waitFor({ state: 'detached' })
    },
  )

test('two members who unblock a sender at once, or restore and remove, get one answer each, and it ends one way', async (t) => {
  const { f, sink } = t.context
  const { people } = await f.another({ others: ['coordinator'] })
  const [ana, luis] = [await signIn(f, sink, people.owner), await signIn(f, sink, people.coordinator)]
  await ana.submit('/settings/blocked-senders', { sender: 'offers@shop.example' })
  const both = [ana, luis].map((one) =>
    one.submit('/settings/blocked-senders/unblock', { sender: 'offers@shop.example' }),
  )
  t.deepEqual(
    (await Promise.all(both)).map(({ status }) => status),
    [303, 303],
  )
  t.true((await luis.get('/settings/blocked-senders')).text.includes('Nobody is blocked.'))

  const form = { text: 'Pick up tablets', for: '', day: '', who: '', request: randomText(8) }
  const at = String((await ana.submit('/to-dos/new', form)).headers.location)
  await Promise.all([ana, luis].map((one) => one.submit(`${at}/remove`, {})))
  const ends = await Promise.all([ana.submit(`${at}/restore`, {}), luis.submit(`${at}/restore`, {})])
  t.deepEqual(
    ends.map(({ status }) => status),
    [303, 303],
  )
  const shown = (await ana.get(at)).text
  t.true(shown.includes('Pick up tablets') && !shown.includes('It can be put back'))
})

/** With the keyboard: from the end of what is there. */
async function type(page: Page, label: string, text: string): Promise<void> {
  await page.getByLabel(label, { exact: true }).focus()
  await page.keyboard.press('End')
  await page.keyboard.type(text)
}

function press(page: Page, role: 'button' | 'link', name: string | RegExp): Promise<void> {
  return page.getByRole(role, { name }).first().press('Enter')
}
