import { randomText } from '@family-inbox/service-kit/ids/ids'
import { setCheck } from '../_checked.ts'
import { openDatabase } from '../_database.ts'
import { filesOf, receiveLetter } from '../_letter.ts'
import { pdfOf } from '../_pdf-and-png.ts'
import { signIn } from '../_visitor.ts'
import { openAs, openSharedScenes } from './_app.ts'

const SCREENS = [
  { width: 360, height: 640 },
  { width: 1280, height: 800 },
]

const { onScreen } = openSharedScenes('standard', { withMail: true })

for (const viewport of SCREENS)
  onScreen(
    `someone forwards a letter to a doctor by keyboard at a width of ${viewport.width}, undoes it, and sends it`,
    async (t) => {
      const { f, sink, browser } = t.context
      const family = await f.another()
      const letter = await receiveLetter(f, await signIn(f, sink, family.people.owner), family)
      await using context = await openAs(f, sink, browser, family.people.owner, { viewport })
      const page = await context.newPage()
      await page.goto(letter.url)
      await page.getByText('More actions').press('Enter')
      await page.getByRole('link', { name: 'Forward', exact: true }).press('Enter')
      await page.getByRole('button', { name: 'Forward' }).press('Enter')
      await page.getByText('There is a problem').waitFor()
      t.is(await page.evaluate('document.documentElement.scrollWidth'), viewport.width)
      const to = `dr.${randomText(8)}@practice.example`
      await page.getByLabel('To').fill(to)
      await page.getByLabel('Your words').fill('Should we worry?')
      await page.getByRole('button', { name: 'Forward' }).press('Enter')
      await page.getByText('Forwarding it.').waitFor()
      await page.getByRole('button', { name: 'Undo', exact: true }).press('Enter')
      await page.getByRole('heading', { name: 'Forward message' }).waitFor()
      t.is(await page.getByLabel('Your words').inputValue(), 'Should we worry?')
      // What was begun is on the inbox, and found again.
      await page.goto(`${f.stack.inboxUrl}/inbox/${letter.lovedOneId}`)
      await page.getByRole('link', { name: 'Forward of' }).press('Enter')
      t.is(await page.getByLabel('To').inputValue(), to)
      t.false(sink.mails.some((mail) => mail.to.includes(to)))
      await page.getByRole('button', { name: 'Forward' }).press('Enter')
      await page.getByText('forwarded this to').waitFor()
      const [mail] = await sink.waitFor(to)
      t.regex(mail?.raw ?? '', /Should we worry\?/)
    },
  )

for (const viewport of SCREENS)
  onScreen(
    `someone writes to a clinic by keyboard at a width of ${viewport.width}, undoes it, and sends it`,
    async (t) => {
      const { f, sink, browser } = t.context
      const family = await f.another()
      const owner = await signIn(f, sink, family.people.owner)
      const letter = await receiveLetter(f, owner, family)
      const other = await receiveLetter(f, owner, family)
      await using mongo = await openDatabase(f.stack, 'inbox')
      await setCheck(mongo, { workspaceId: family.workspaceId }, 'verified')
      await using context = await openAs(f, sink, browser, family.people.owner, { viewport })
      const page = await context.newPage()
      await page.goto(`${f.stack.inboxUrl}/inbox/${letter.lovedOneId}`)
      await page.getByRole('link', { name: 'Write' }).press('Enter')
      await page.getByRole('button', { name: 'Send' }).press('Enter')
      await page.getByText('There is a problem').waitFor()
      t.is(await page.evaluate('document.documentElement.scrollWidth'), viewport.width)
      const subject = `Refill ${randomText(8)}`
      await page.getByLabel('To', { exact: true }).fill(letter.sender)
      await page.getByLabel('Subject').fill(subject)
      await page.getByLabel('Cc').fill(other.sender)
      await page.getByLabel('Your message').fill('Could you renew it?')
      await page.getByText('Saved', { exact: true }).waitFor()
      await page.goto(`${f.stack.inboxUrl}/inbox/write`)
      t.is(await page.getByLabel('Cc').inputValue(), other.sender)
      const scan = { name: 'scan.pdf', mimeType: 'application/pdf', buffer: Buffer.from(pdfOf(['BT ET'])) }
      await page.getByLabel('Add a file').setInputFiles(scan)
      await page.getByText('scan.pdf added').waitFor()
      t.is(await page.evaluate('document.documentElement.scrollWidth'), viewport.width)
      await page.getByRole('button', { name: 'Send' }).press('Enter')
      await page.getByText('Sending your message.').waitFor()
      await page.getByRole('button', { name: 'Undo' }).press('Enter')
      await page.getByRole('heading', { name: 'New message' }).waitFor()
      t.is(await page.getByLabel('Your message').inputValue(), 'Could you renew it?')
      await page.getByRole('button', { name: 'Send' }).press('Enter')
      for (const to of [letter.sender, other.sender]) {
        const [mail] = await sink.waitFor(to)
        t.is(filesOf(mail?.raw ?? '').length, 1)
      }
      await page.getByRole('link', { name: subject }).press('Enter')
      await page.getByText(`with a copy to ${other.sender}`).waitFor()
      t.is(sink.mails.filter((mail) => mail.headers.includes(subject)).length, 2)
      // Nothing of it comes back into the form.
      await page.goto(`${f.stack.inboxUrl}/inbox/write`)
      t.is(await page.getByLabel('Your message').inputValue(), '')
    },
  )

for (const viewport of SCREENS)
  onScreen(
    `someone sends a copy, deletes the reply by keyboard at a width of ${viewport.width}, and puts it back`,
    async (t) => {
      const { f, sink, browser } = t.context
      const family = await f.another()
      const owner = await signIn(f, sink, family.people.owner)
      const letter = await receiveLetter(f, owner, family)
      const other = await receiveLetter(f, owner, family)
      await using mongo = await openDatabase(f.stack, 'inbox')
      await setCheck(mongo, { workspaceId: family.workspaceId }, 'verified')
      await using context = await openAs(f, sink, browser, family.people.owner, { viewport })
      const page = await context.newPage()
      await page.goto(letter.url)
      await page.getByText('Reply', { exact: true }).press('Enter')
      await page.getByLabel('Your reply').fill('Monday is fine.')
      await page.getByText('Cc', { exact: true }).first().press('Enter')
      await page.getByLabel('Cc').fill(`${randomText(8)}@stranger.example`)
      await page.getByRole('button', { name: 'Send reply' }).press('Enter')
      await page.getByText('is not in your family’s address book. Nothing was sent.').first().waitFor()
      await page.getByLabel('Cc').fill(other.sender)
      await page.getByRole('button', { name: 'Send reply' }).press('Enter')
      for (const to of [letter.sender, other.sender]) t.is((await sink.waitFor(to)).length, 1)
      await page.goto(letter.url)
      await page.getByText('Delivered to their mail server').nth(1).waitFor()
      await page.locator('#family summary', { hasText: 'Delete' }).press('Enter')
      t.is(await page.evaluate('document.documentElement.scrollWidth'), viewport.width)
      await page.getByRole('button', { name: 'Delete it here' }).press('Enter')
      await page.getByText('1 deleted reply').press('Enter')
      await page.locator('#family').getByRole('button', { name: 'Put back' }).press('Enter')
      await page.getByText('with a copy to').waitFor()
    },
  )
