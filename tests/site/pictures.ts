/**
 * Creates the screenshots for the home page from the demo family's inbox: desktop and phone, light and dark, each
 * under 60 KB. Run with: node tests/site/pictures.ts [folder], default: the site's pictures folder.
 */
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { startFamily } from '../_family.ts'
import { startMailSink } from '../_mail-sink.ts'
import { signIn } from '../_visitor.ts'
import { openBrowser, toCookies } from './_browser.ts'
import { FONT } from './_looks.ts'

const MOST_BYTES = 60 * 1024
const DESK = {
  viewport: { width: 1100, height: 700 },
  deviceScaleFactor: 1.5,
  locale: 'en-GB',
  timezoneId: 'Europe/Lisbon',
}
const PHONE = {
  viewport: { width: 380, height: 620 },
  deviceScaleFactor: 2,
  locale: 'en-GB',
  timezoneId: 'Europe/Lisbon',
}
const PICTURES = [
  { file: 'inbox.webp', ...DESK, colorScheme: 'light' },
  { file: 'inbox.dark.webp', ...DESK, colorScheme: 'dark' },
  { file: 'inbox.phone.webp', ...PHONE, colorScheme: 'light' },
  { file: 'inbox.phone.dark.webp', ...PHONE, colorScheme: 'dark' },
] as const

const [, , folder = join(import.meta.dirname, '../../services/site/content/pictures')] = process.argv
await mkdir(folder, { recursive: true })
await using sink = await startMailSink()
await using f = await startFamily({ env: { SMTP_URL: sink.url } })
const visitor = await signIn(f, sink, f.family.people.owner)
const browser = await openBrowser()
for (const picture of PICTURES) {
  const bytes = await takePicture(browser, picture)
  await writeFile(join(folder, picture.file), bytes)
  process.stdout.write(`${picture.file}: ${(bytes.length / 1024).toFixed(0)} KB\n`)
}
await browser.close()

async function takePicture(browser: Browser, { file, ...screen }: (typeof PICTURES)[number]): Promise<Buffer> {
  const context = await browser.newContext({ ...screen, bypassCSP: true })
  await context.addCookies(toCookies(visitor.cookie, f.stack.inboxUrl))
  const page = await context.newPage()
  await page.goto(`${f.stack.inboxUrl}/`)
  // Times use the reader's time zone from the second page on.
  await page.reload()
  const isDesk = screen.viewport.width > 900
  // On a wide screen, a message opens beside the list.
  if (isDesk) {
    await page
      .getByRole('link', { name: /claim was approved/ })
      .first()
      .click()
    await page.waitForURL('**/msg_*')
    await page.waitForLoadState('networkidle')
  }
  await page.addStyleTag({ content: FONT })
  await page.evaluate('document.fonts.ready.then(() => undefined)')
  const bytes = await smallEnough(page)
  await context.close()
  return bytes
}

/** Picks the best resolution, then quality, within the size limit; Playwright cannot create WebP. */
async function smallEnough(page: Page): Promise<Buffer> {
  const session = await page.context().newCDPSession(page)
  const { width = 0, height = 0 } = page.viewportSize() ?? {}
  for (const scale of [2, 1.5, 1.25, 1])
    for (let quality = 85; quality > 40; quality -= 15) {
      const clip = { x: 0, y: 0, width, height, scale }
      const { data } = await session.send('Page.captureScreenshot', { format: 'webp', quality, clip })
      const bytes = Buffer.from(data, 'base64')
      if (bytes.length < MOST_BYTES) return bytes
    }
  throw new Error('the picture does not get small enough')
}
