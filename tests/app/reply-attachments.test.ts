import { randomText } from '@family-inbox/service-kit/ids/ids'
import { filesOf, receiveLetter } from '../_letter.ts'
import { pdfOf, pngOf } from '../_pdf-and-png.ts'
import { openSharedScenes, openWith, signIn, type Visitor } from './_app.ts'

const { test, onScreen } = openSharedScenes('standard', { withMail: true })
const PHONE = { viewport: { width: 360, height: 740 } }
const MB = 1024 * 1024

const picture = { name: 'Wound on Monday.png', mimeType: 'image/png', buffer: Buffer.from(pngOf(800, 600)) }
const paper = { name: 'Consent form.pdf', mimeType: 'application/pdf', buffer: Buffer.from(pdfOf(['BT ET'])) }
const program = { name: 'form.pdf', mimeType: 'application/pdf', buffer: Buffer.from('MZ and a program') }
const video = { name: 'walk.pdf', mimeType: 'application/pdf', buffer: Buffer.alloc(21 * MB, '%PDF-') }

let owner: Visitor

test.before(async (t) => {
  owner = await signIn(t.context.f, t.context.sink, t.context.f.family.people.owner)
})

onScreen('a chosen file is added at once, can be removed, and goes with the reply', async (t) => {
  const { f, sink, browser } = t.context
  const letter = await receiveLetter(f, owner)
  await using context = await openWith(f, browser, owner.cookie, PHONE)
  const page = await context.newPage()
  await page.goto(letter.url)
  await page.locator('summary', { hasText: 'Reply' }).click()
  await page.getByLabel('Your reply').fill('Here is the picture.')
  const input = page.getByLabel('Add a file')
  await input.setInputFiles([picture, paper])
  await page.getByText('Image, ').waitFor()
  await page.getByText('PDF, ').waitFor()
  await input.setInputFiles(program)
  await page.locator('.attached .error', { hasText: 'You can send JPEG, PNG, GIF and WebP' }).waitFor()
  await input.setInputFiles(video)
  await page.locator('.attached .error', { hasText: 'up to 20 MB together' }).waitFor()
  await page.reload()
  t.deepEqual(await page.locator('.attached bdi').allTextContents(), [picture.name, paper.name], 'the draft keeps them')
  await page.getByRole('button', { name: `Remove ${paper.name}` }).click()
  await page.locator('.attached li').nth(1).waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Send reply' }).click()
  await page.locator('.turn', { hasText: picture.name }).waitFor()
  const [mail] = await sink.waitFor(letter.sender)
  const files = filesOf(mail?.raw ?? '')
  t.is(files.length, 1)
  t.true(files[0]?.bytes.equals(picture.buffer))
})

onScreen('while a file is on its way its progress shows, and the reply waits for it', async (t) => {
  const { f, browser } = t.context
  const letter = await receiveLetter(f, owner)
  await using context = await openWith(f, browser, owner.cookie, PHONE)
  const page = await context.newPage()
  await page.goto(letter.url)
  await page.locator('summary', { hasText: 'Reply' }).click()
  await page.getByLabel('Your reply').fill(`Soon ${randomText(5)}.`)
  const arrived = Promise.withResolvers<void>()
  await page.route('**/attachments', async (route) => {
    await arrived.promise
    await route.continue()
  })
  await page.getByLabel('Add a file').setInputFiles(picture)
  await page.getByRole('progressbar', { name: `Adding ${picture.name}` }).waitFor()
  await page.getByRole('button', { name: 'Send reply' }).click()
  await page.getByText('Your files are still being added.').waitFor()
  t.is(page.url(), letter.url)
  arrived.resolve()
  await page.getByText(`${picture.name} added`).waitFor()
  await page.getByRole('button', { name: 'Send reply' }).click()
  await page.locator('.turn', { hasText: picture.name }).waitFor()
})

onScreen('without scripts, files are sent with the form, and a refused one keeps the text', async (t) => {
  const { f, sink, browser } = t.context
  const letter = await receiveLetter(f, owner)
  await using context = await openWith(f, browser, owner.cookie, { ...PHONE, javaScriptEnabled: false })
  const page = await context.newPage()
  await page.goto(letter.url)
  await page.locator('summary', { hasText: 'Reply' }).click()
  await page.getByLabel('Your reply').fill('Without scripts.')
  await page.getByLabel('Add a file').setInputFiles(program)
  await page.getByRole('button', { name: 'Send reply' }).click()
  await page.getByRole('alert').getByText('You can send JPEG').waitFor()
  t.is(await page.getByLabel('Your reply').inputValue(), 'Without scripts.')
  await page.getByLabel('Add a file').setInputFiles([picture, paper])
  await page.getByRole('button', { name: 'Save draft' }).click()
  await page.getByText('Draft saved.').waitFor()
  await page.getByRole('button', { name: `Remove ${paper.name}` }).click()
  await page.locator('.attached li').nth(1).waitFor({ state: 'detached' })
  t.is(await page.getByLabel('Your reply').inputValue(), 'Without scripts.')
  await page.getByRole('button', { name: 'Send reply' }).click()
  await page.locator('.turn', { hasText: picture.name }).waitFor()
  const [mail] = await sink.waitFor(letter.sender)
  t.true(filesOf(mail?.raw ?? '')[0]?.bytes.equals(picture.buffer))
})
