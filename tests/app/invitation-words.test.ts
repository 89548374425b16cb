import { randomText } from '@family-inbox/service-kit/ids/ids'
import { joinFamily } from '../_family.ts'
import { callTool } from '../outgoing-mail/_approval.ts'
import { openAs, openScenes } from './_app.ts'
import { awaitMails, mailsAbout, textOf } from './_assistants.ts'

const { test, onScreen } = openScenes(() => joinFamily('standard'))

test('an assistant learns what to leave out of a note, and nothing is mailed', async (t) => {
  const { f, sink } = t.context
  const email = `${randomText(12)}@guest.example`
  const asked = { email, role: 'viewer', message: 'Confirm at https://bank.example/login' }
  const { isError, text } = await callTool(f, f.family.keys.owner, 'invite_family_member', asked)
  t.true(isError)
  t.regex(
    text,
    /^message must not contain links, domains or email addresses\. Leave out “https:\/\/bank\.example\/login”/,
  )
  const again = { ...asked, message: 'We miss you. Love, J.R.' }
  t.false((await callTool(f, f.family.keys.owner, 'invite_family_member', again)).isError)
  const mails = await awaitMails(sink, email, /invites you/)
  t.is(mails.length, 1)
  t.regex(textOf(mails[0]), /The person who sent this invitation chose the names in it\. We have not checked them\./)
  t.is(mailsAbout(sink, email, /./).length, 1)
})

onScreen('a page says what to leave out, keeps what I typed, and goes on without it', async (t) => {
  const { f, sink, browser } = t.context
  await using context = await openAs(f, sink, browser, f.family.people.owner)
  const page = await context.newPage()
  await page.goto(`${f.stack.inboxUrl}/care-circle/invite`)
  const email = `${randomText(12)}@guest.example`
  await page.getByLabel('Their email address').fill(email)
  await page.getByLabel('Add a message').fill('Pay at your-bank.com today')
  await page.getByRole('button', { name: 'Send invitation' }).click()
  t.regex(
    (await page.locator('#message-error').textContent()) ?? '',
    /Leave out “your-bank.com”: links and email addresses aren’t allowed here/,
  )
  t.is(await page.getByLabel('Their email address').inputValue(), email)
  await page.getByLabel('Add a message').fill('We miss you.')
  await page.getByRole('button', { name: 'Send invitation' }).click()
  t.is(await page.locator('h1').textContent(), 'Invitation sent')
  await page.goto(`${f.stack.inboxUrl}/settings/profile`)
  await page.getByLabel('Name').fill('Your Bank (bank.com)')
  await page.getByRole('button', { name: 'Save' }).click()
  t.regex((await page.locator('#name-error').textContent()) ?? '', /Leave out “bank.com”/)
  await page.getByLabel('Name').fill("J.R. St. Mary's")
  await page.getByRole('button', { name: 'Save' }).click()
  t.is(await page.locator('#name-error').count(), 0)
})
