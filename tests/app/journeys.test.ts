import { randomText } from '@family-inbox/service-kit/ids/ids'
import { openMailer } from '../_mailer.ts'
import { becomesTrue, readUntil } from '../_wait.ts'
import { basic, inDays, invitation, newUid } from '../appointments/_invitations.ts'
import { deliver, plainMail } from '../inbox/_smtp-client.ts'
import { linkAgency } from './_agency.ts'
import { openSharedScenes, openWith, signIn } from './_app.ts'
import { countActions, PHONE } from './_count-actions.ts'

const { test, onScreen } = openSharedScenes()

test('a sibling hears of an appointment in forwarded mail without a tap', async (t) => {
  const { f, sink } = t.context
  const { people, lovedOnes } = f.family
  const sibling = await signIn(f, sink, people.coordinator)
  await sibling.submit('/settings/notifications/first', { mode: 'each', changes: '1', timeZone: 'America/New_York' })
  const raw = invitation({ uid: newUid(), summary: 'Eye doctor', start: basic(inDays(2)) })
  await openMailer(f.stack).deliver(lovedOnes[0]?.inboxAddress ?? '', raw)
  const isNews = ({ to, headers }: { to: readonly string[]; headers: string }) =>
    to.includes(people.coordinator) && /^Subject: An appointment for/m.test(headers)
  t.true(await becomesTrue(async () => sink.mails.some(isNews)))
  await readUntil(
    () => sibling.get('/'),
    ({ text }) => text.includes('Eye doctor'),
  )
})

onScreen('a clinic is answered from a phone in four actions', async (t) => {
  const { f, sink, browser } = t.context
  const { people, lovedOnes } = f.family
  const subject = `Question ${randomText(8)}`
  await deliver(f.stack.smtpPort, lovedOnes[1]?.inboxAddress ?? '', plainMail(subject))
  const { cookie } = await signIn(f, sink, people.owner)
  await using context = await openWith(f, browser, cookie, { ...PHONE, userAgent: undefined })
  const page = await context.newPage()
  await page.goto(f.stack.inboxUrl)
  const { tap, type, count, button, link } = countActions(page)
  await tap(link(new RegExp(subject)))
  await tap(page.locator('summary', { hasText: 'Reply' }).first())
  await type(page.locator('textarea[name="body"]'), 'Yes, we are coming.')
  await tap(button(/^Send/))
  await page.getByText('Sending your reply').waitFor()
  t.true(count() <= 4, `${count()} actions`)
})

onScreen('whether the tablets were taken today is on the first page of a phone', async (t) => {
  const { f, sink, browser } = t.context
  const agency = await linkAgency(f, f.family)
  const dose = { medication_name: 'Warfarin', dose_amount: '5', dose_unit: 'mg', administered_by: 'N-3' }
  await agency.post({ event_type: 'med_administered', payload: dose })
  const viewer = await signIn(f, sink, f.family.people.viewer)
  await readUntil(
    () => viewer.get('/timeline/medication'),
    ({ text }) => text.includes('Warfarin'),
  )
  await using context = await openWith(f, browser, viewer.cookie, PHONE)
  const page = await context.newPage()
  await page.goto(f.stack.inboxUrl)
  await page.getByText(/1 dose reported today\. Last: Warfarin 5 mg given/).waitFor()
  t.regex((await page.locator('h1').textContent()) ?? '', /^What comes next/)
})

onScreen('a sibling is added in four actions, and joins in five', async (t) => {
  const { f, sink, browser } = t.context
  const email = `${randomText(8)}@sibling.example`
  const { cookie } = await signIn(f, sink, f.family.people.owner)
  await using context = await openWith(f, browser, cookie, { ...PHONE, userAgent: undefined })
  const page = await context.newPage()
  await page.goto(f.stack.inboxUrl)
  const owner = countActions(page)
  await owner.tap(owner.link('Care circle'))
  await owner.tap(owner.link(/^Invite/))
  await owner.type(page.getByLabel(/email/i).first(), email)
  await owner.tap(owner.button('Send invitation'))
  await page.getByText('Invitation sent').first().waitFor()
  t.true(owner.count() <= 4, `${owner.count()} actions`)

  const [invited] = await sink.waitFor(email)
  const text = (invited?.raw ?? '').replaceAll('=\r\n', '').replaceAll('=3D', '=')
  const [address = ''] = new RegExp(`${f.stack.inboxUrl}/invitation/[\\w-]+`).exec(text) ?? []
  await using other = await browser.newContext(PHONE)
  const joining = await other.newPage()
  await joining.goto(address)
  const sibling = countActions(joining)
  await sibling.tap(sibling.button(/^Send a code to/))
  const [, code] = await sink.waitFor(email, 2)
  await sibling.type(joining.getByLabel('Sign-in code'), /\d{4} \d{4}/.exec(code?.raw ?? '')?.[0] ?? '')
  const name = joining.getByLabel('Your name')
  if ((await name.inputValue()) === '') await sibling.type(name, 'Tom')
  await sibling.tap(sibling.button('Accept invitation'))
  await joining.getByText('You’ve joined').first().waitFor()
  await sibling.tap(sibling.button('Continue'))
  await joining.locator('nav[aria-label="Main"]').waitFor()
  t.true(sibling.count() <= 5, `${sibling.count()} actions`)
})
