import { hand, notify, openAnswerDesk, write } from '../inbox/_answers.ts'
import { openScenes, openWith } from './_app.ts'
import { PHONE } from './_count-actions.ts'

const { onScreen } = openScenes(openAnswerDesk)

const SIZES = { 'a phone': PHONE, 'a desk': { viewport: { width: 1280, height: 800 } } }

for (const [name, size] of Object.entries(SIZES))
  onScreen(`on ${name}, a reply by mail is shown as such, and answering by mail is turned off and on`, async (t) => {
    const { f: desk, browser } = t.context
    const { visitor, email: from, address: to, letter } = await notify(desk)
    await hand(desk, to, await write({ from, to, text: 'Monday is fine.' }))
    await using context = await openWith(desk.f, browser, visitor.cookie, size)
    const page = await context.newPage()
    await page.goto(letter.url)
    const turn = page.locator('.turn.ours')
    t.regex((await turn.textContent()) ?? '', /Ana Almeida replied to .*, by mail.*Monday is fine\./s)

    const box = page.getByLabel('Answer by email')
    for (const isOn of [true, false]) {
      await page.goto(`${desk.f.stack.inboxUrl}/settings/notifications`)
      t.is(await box.isChecked(), isOn)
      // By keyboard on the desk, by a tap on the phone.
      if (name === 'a desk') {
        await box.focus()
        await page.keyboard.press('Space')
        await page.getByRole('button', { name: 'Save' }).focus()
        await page.keyboard.press('Enter')
      } else {
        await box.click()
        await page.getByRole('button', { name: 'Save' }).click()
      }
      await page.getByText('Saved. You’ll get a notification').waitFor()
    }
    await page.goto(`${desk.f.stack.inboxUrl}/settings/notifications`)
    t.true(await box.isChecked())
    const isWide = 'document.documentElement.scrollWidth > document.documentElement.clientWidth'
    t.false(await page.evaluate(isWide))
  })
