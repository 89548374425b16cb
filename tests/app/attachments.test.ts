import { randomText } from '@family-inbox/service-kit/ids/ids'
import type { BrowserContext, Locator, Page } from 'playwright-core'
import type { Guest } from '../_family.ts'
import { lockedPdf, pdfOf, pngOf } from '../_pdf-and-png.ts'
import { becomesTrue, readUntil } from '../_wait.ts'
import { deliver } from '../inbox/_smtp-client.ts'
import { attachment, html, multipartMail, part, text } from '../mail-corpus/build-mail.ts'
import { base64Mail, envelopedData } from '../mail-corpus/build-sealed.ts'
import { openAs, openSharedScenes, signIn, type Visitor } from './_app.ts'

const { test, onScreen } = openSharedScenes('standard', { withMail: true })

const EVENT = [
  'BEGIN:VCALENDAR',
  'METHOD:REQUEST',
  'BEGIN:VEVENT',
  'UID:1@clinic.example',
  'SEQUENCE:1',
  'SUMMARY:Cardiology',
  'DTSTART;TZID=Europe/Lisbon:20300812T102000',
  'DTEND;TZID=Europe/Lisbon:20300812T105000',
  'LOCATION:Floor 2',
  'ORGANIZER;CN=Front desk:mailto:desk@clinic.example',
  'END:VEVENT',
  'END:VCALENDAR',
].join('\r\n')

const PARTS = [
  text('Files.'),
  attachment('Blood test.pdf', 'application/pdf', Buffer.from(pdfOf(['BT /F1 24 Tf 72 700 Td (Blood) Tj ET', '']))),
  attachment('scan.png', 'application/octet-stream', Buffer.from(pngOf(600, 300))),
  attachment('invite.ics', 'text/calendar', Buffer.from(EVENT)),
  attachment('again.ics', 'text/calendar', Buffer.from(EVENT)),
  attachment('bad.ics', 'text/calendar', Buffer.from('BEGIN:VCALENDAR\r\nBEGIN:VEVENT')),
  attachment('bad.pdf', 'application/pdf', Buffer.from('%PDF-1.7 and no more')),
]

/** Delivers one mail with all kinds of files and finds its page. */
function receiveFiles(f: Guest, visitor: Visitor): Promise<string> {
  return receive(f, visitor, (subject) => multipartMail({ Subject: subject }, 'mixed', PARTS))
}

async function receive(f: Guest, visitor: Visitor, write: (subject: string) => Buffer): Promise<string> {
  const subject = `Files ${randomText(8)}`
  const { id = '', inboxAddress = '' } = f.family.lovedOnes[0] ?? {}
  await deliver(f.stack.smtpPort, inboxAddress, write(subject))
  const { text: page } = await visitor.get(`/inbox/${id}`)
  return new RegExp(`/inbox/${id}/msg_[a-z0-9]+(?=[^>]*><bdi>${subject})`).exec(page)?.[0] ?? ''
}

for (const javaScriptEnabled of [true, false])
  onScreen(
    `pictures, pages and invitations are read in place, ${javaScriptEnabled ? 'with' : 'without'} scripts`,
    async (t) => {
      const { f, sink, browser } = t.context
      const visitor = await signIn(f, sink, f.family.people.owner)
      const path = await receiveFiles(f, visitor)
      const options = {
        viewport: { width: 390, height: 844 },
        timezoneId: 'America/New_York',
        locale: 'en-GB',
        javaScriptEnabled,
      }
      await using context = await openAs(f, sink, browser, f.family.people.viewer, options)
      const requests = watchRequests(context)
      const page = await context.newPage()
      await page.goto(f.stack.inboxUrl + path)
      const card = page.getByRole('region', { name: 'Changed invitation' })
      // Times use the reader's time zone from the second page on. On a busy machine, a page does not wait for its files.
      for (let tries = 0; tries < 20; tries += 1) {
        await page.reload()
        if ((await card.count()) > 0) break
      }
      t.is(await card.count(), 1, 'the same event is shown once')
      t.is(await card.getByRole('heading').textContent(), 'Cardiology')
      const facts = (await card.locator('dl').textContent()) ?? ''
      t.regex(facts, javaScriptEnabled ? /12 Aug 2030, 05:20 to 05:50/ : /12 Aug 2030, 09:20 UTC to 09:50 UTC/)
      t.regex(facts, /Where\s*Floor 2\s*From\s*Front desk/)

      const rows = page.locator('.attachments li')
      t.is(
        await rows.count(),
        4,
        'every file is listed once, with its download, and a calendar file that is a card is not',
      )
      for (const [name, alt] of [
        ['Blood test.pdf', 'Page 1 of 2'],
        ['scan.png', 'The picture'],
      ] as const) {
        const row = rows.filter({ hasText: name })
        await seeThumbnail(page, row)
        t.true((await widthOf(await seePage(page, row, alt))) > 250)
        await row.locator('summary').click()
      }
      const broken = rows.filter({ hasText: 'bad.pdf' })
      await broken.locator('summary').click()
      await broken.frameLocator('iframe').getByText('This file is damaged').waitFor({ timeout: 30_000 })
      t.deepEqual(
        [...requests].filter((url) => !url.startsWith(f.stack.inboxUrl)),
        [],
        'nothing is requested elsewhere',
      )
    },
  )

test('previews carry a policy that runs nothing, are not cached, and are shown to members only', async (t) => {
  const { f, sink } = t.context
  const visitor = await signIn(f, sink, f.family.people.coordinator)
  const path = await receiveFiles(f, visitor)
  const drawing = await visitor.get(`${path}/files/1/preview`)
  t.is(drawing.status, 200)
  t.is(drawing.headers['content-type'], 'image/jpeg')
  const pages = await visitor.get(`${path}/files/0/pages`)
  t.regex(pages.text, /pages\/1|Preparing/)
  for (const { headers } of [drawing, pages]) {
    t.regex(String(headers['content-security-policy']), /default-src 'none'/)
    t.regex(String(headers['content-security-policy']), /sandbox/)
    t.notRegex(String(headers['content-security-policy']), /script/)
    t.is(headers['cache-control'], 'no-store')
  }
  t.is((await visitor.get(`${path}/files/9/preview`)).status, 404)
  t.is((await visitor.get(`${path}/files/2/preview`)).status, 409, 'a calendar has no picture')
  const stranger = await signIn(f, sink, (await f.another()).people.owner)
  t.is((await stranger.get(`${path}/files/1/preview`)).status, 404)
  t.is((await stranger.get(`${path}/files/0/pages`)).status, 404)
})

test('a member reads the text of a document below its pages, or why it has none, and tools learn no more', async (t) => {
  const { f, sink } = t.context
  const owner = await signIn(f, sink, f.family.people.owner)
  await owner.submit('/settings/notes', { files: '1' })
  const viewer = await signIn(f, sink, f.family.people.viewer)
  const path = await receive(f, viewer, (subject) =>
    multipartMail({ Subject: subject }, 'mixed', [
      ...PARTS,
      attachment('locked.pdf', 'application/pdf', Buffer.from(lockedPdf())),
    ]),
  )
  const pageOf = async (file: number, isRight: RegExp) =>
    (
      await readUntil(
        () => viewer.get(`${path}/files/${file}/pages`),
        ({ text: page }) => isRight.test(page),
      )
    ).text
  const shown = await pageOf(0, /<summary>/)
  t.regex(shown, /<details><summary>Text of this document<\/summary><pre dir="auto">Blood<\/pre><\/details>/)
  t.true(shown.indexOf('pages/1') < shown.indexOf('Text of this document'), 'below the pages')
  const locked = await pageOf(6, /locked with a password/)
  const damaged = await pageOf(5, /This file is damaged/)
  for (const page of [locked, damaged, await pageOf(1, /The picture/)]) t.notRegex(page, /Text of this document/)

  const args = { lovedOneId: f.family.lovedOnes[0]?.id, messageId: path.split('/').at(-1) }
  const { json } = await f.call(f.family.keys.owner, 'get_inbox_message', args)
  const { attachments } = json.result.structuredContent
  t.is(attachments[0].text, 'Blood')
  const { filename, contentType, ...rest } = attachments[6]
  t.deepEqual(
    [filename, contentType, Object.keys(rest)],
    ['locked.pdf', 'application/pdf', Object.keys(attachments[1]).slice(2)],
  )
  t.notRegex(JSON.stringify(json), /password|damaged/)
})

test('pictures inside of a letter are folded below its files', async (t) => {
  const { f, sink } = t.context
  const visitor = await signIn(f, sink, f.family.people.owner)
  const rash = part(
    { 'Content-Type': 'image/png; name=rash.png', 'Content-ID': '<rash@1>' },
    Buffer.from(pngOf(20, 20)),
  )
  const write = (subject: string) =>
    multipartMail({ Subject: subject }, 'related', [
      html('<p>Look at this:</p><img src="cid:rash@1">'),
      rash,
      attachment('scan.png', 'image/png', Buffer.from(pngOf(30, 30))),
    ])
  const path = await receive(f, visitor, write)
  const { text: page } = await visitor.get(path)
  const [, listed = '', folded = ''] =
    /<h2>1 attachment<\/h2>(.*?)<summary>1 picture in the letter(.*?)<\/section>/s.exec(page) ?? []
  t.regex(listed, /scan\.png/)
  t.notRegex(listed, /rash\.png/)
  t.regex(folded, /rash\.png/)
  t.is((await visitor.get(`${path}/files/0/preview`)).status, 200)
})

test('an encrypted letter says so on its page and in the list, with what to ask for', async (t) => {
  const { f, sink } = t.context
  const visitor = await signIn(f, sink, f.family.people.owner)
  const fields = { 'Content-Type': 'application/pkcs7-mime; smime-type=enveloped-data; name=smime.p7m' }
  const path = await receive(f, visitor, (subject) => base64Mail({ ...fields, Subject: subject }, envelopedData()))
  for (const address of [path, path.slice(0, path.lastIndexOf('/'))])
    t.regex((await visitor.get(address)).text, /This message is encrypted, so it cannot be read here\. Ask the sender/)
})

const TRIES = 4

/** On a busy machine a preview may fail; the page then asks for it again. */
async function seeThumbnail(page: Page, row: Locator): Promise<void> {
  await untilSeen(page, async () => {
    await row.scrollIntoViewIfNeeded()
    await widthOf(row.locator('.thumb'))
  })
}

/** Opens a file of the message, and finds what is drawn of it. */
async function seePage(page: Page, row: Locator, alt: string): Promise<Locator> {
  const drawn = row.frameLocator('iframe').getByAltText(alt)
  await untilSeen(page, async () => {
    await row.locator('summary').click()
    await drawn.waitFor({ timeout: 10_000 })
  })
  return drawn
}

async function untilSeen(page: Page, look: () => Promise<void>): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await look()
    } catch (error) {
      if (tries === TRIES) throw error
    }
    await page.reload()
  }
}

/** Of a picture, once it is there. Asks again and again: a document without scripts runs no listener or timer of the test. */
async function widthOf(picture: Locator): Promise<number> {
  const measure = () => picture.evaluate((image) => (image as unknown as { naturalWidth: number }).naturalWidth)
  if (await becomesTrue(async () => (await measure()) > 0, 20_000)) return measure()
  throw new Error('no picture in time')
}

function watchRequests(context: BrowserContext): Set<string> {
  const urls = new Set<string>()
  context.on('request', (request) => urls.add(request.url()))
  return urls
}
