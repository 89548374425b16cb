import { randomText } from '@family-inbox/service-kit/ids/ids'
import type { ExecutionContext } from 'ava'
import type { Browser, Page } from 'playwright-core'
import type { Answer, Guest } from '../_family.ts'
import { listen } from '../_live-window.ts'
import { becomesTrue, until } from '../_wait.ts'
import { deliver, plainMail } from '../inbox/_smtp-client.ts'
import { attachment, html, mail, multipartMail, text } from '../mail-corpus/build-mail.ts'
import { openSharedScenes, openWith, type Sink, signIn as signInAgain, type Visitor } from './_app.ts'

const { test, onScreen } = openSharedScenes('standard', { withMail: true })

/** Each person signs in once, because sign-in codes are rate limited. */
const visitors = new Map<string, Promise<Visitor>>()

function signIn(f: Guest, sink: Sink, email: string): Promise<Visitor> {
  const known = visitors.get(email) ?? signInAgain(f, sink, email)
  visitors.set(email, known)
  return known
}

async function openAs(f: Guest, sink: Sink, browser: Browser, email: string, options = {}) {
  return openWith(f, browser, (await signIn(f, sink, email)).cookie, options)
}

const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click()
const lovedOneOf = ({ family }: Guest, index = 0) => family.lovedOnes[index] as Guest['family']['lovedOnes'][0]

/** Of the page that a click leads to. */
async function expectHeading(t: Pick<ExecutionContext, 'is'>, page: Page, words: string): Promise<void> {
  await page.locator('h1', { hasText: words }).waitFor()
  t.is(await page.locator('h1').textContent(), words)
}

async function receive(f: Guest, to: string, raw: string | Buffer): Promise<void> {
  const answer = await deliver(f.stack.smtpPort, to, raw)
  if (!answer.startsWith('250')) throw new Error(answer)
}

/** Delivers a message with a unique subject and finds its page. */
async function receiveOne(f: Guest, visitor: Visitor, raw: (subject: string) => string | Buffer, index = 0) {
  const subject = `Letter ${randomText(8)}`
  const { id, inboxAddress } = lovedOneOf(f, index)
  await receive(f, inboxAddress, raw(subject))
  const { text: page } = await visitor.get(`/inbox/${id}`)
  const messageId = new RegExp(`/inbox/${id}/(msg_[a-z0-9]+)[^>]*><bdi>${subject}`).exec(page)?.[1] ?? ''
  return { subject, messageId, path: `/inbox/${id}/${messageId}` }
}

onScreen('from the first visit to the first forwarded mail', async (t) => {
  const { f, sink, browser } = t.context
  const email = `${randomText(8)}@martin.example`
  await using context = await browser.newContext({ viewport: { width: 390, height: 844 } })
  const page = await context.newPage()
  await page.goto(f.stack.inboxUrl)
  await page.getByLabel('Your email address').fill(email)
  await press(page, 'Send code')
  const [codeMail] = await sink.waitFor(email)
  await page.getByLabel('Sign-in code').fill(/\d{4} \d{4}/.exec(codeMail?.raw ?? '')?.[0] ?? '')
  await page.getByLabel('Their name').fill('Rosa Martin')
  await press(page, 'Continue')
  await page.getByLabel('Your name').fill('Ana Martin')
  await press(page, 'Continue')
  t.is(await page.getByLabel('Family name').inputValue(), 'The Martin family')
  await press(page, 'Back')
  t.is(await page.getByLabel('Your name').inputValue(), 'Ana Martin')
  await page.reload()
  await press(page, 'Continue')
  await page.getByLabel('Family name').waitFor()
  await page.goBack()
  t.is(await page.getByLabel('Your name').inputValue(), 'Ana Martin', 'the browser’s Back sends nothing again')
  await press(page, 'Continue')
  await press(page, 'Create inbox')
  await expectHeading(t, page, 'How should we tell you?')
  t.true(await page.getByLabel('Soon after each message').isChecked(), 'whoever organizes hears of each message')
  await press(page, 'Continue')
  await page.getByText('Waiting for Gmail’s code…').waitFor()
  const address = (await page.locator('#address').textContent()) ?? ''
  await page.evaluate('window.stays = true')

  await receive(f, address, gmailRequest)
  await page.getByRole('heading', { name: 'Your code is here' }).waitFor()
  t.is(await page.locator('#code').textContent(), '987654321')
  t.regex(await page.title(), /^Your code: 987654321/)
  t.true(await page.evaluate('window.stays'), 'the page did not reload')

  await press(page, 'Send a test email')
  const [testMail] = await sink.waitFor(address)
  t.true(testMail?.raw.includes('Auto-Submitted: auto-generated'))
  await receive(f, address, testMail?.raw ?? '')
  await page.getByRole('heading', { name: 'The address works' }).waitFor()

  await receive(f, address, plainMail('Your appointment on Tuesday'))
  await page.getByRole('heading', { name: 'It works' }).waitFor()
  await page.getByRole('link', { name: 'Go to inbox' }).click()
  await page.getByRole('link', { name: 'Your appointment on Tuesday' }).click()
  await expectHeading(t, page, 'Your appointment on Tuesday')
  await page.getByRole('link', { name: 'Back to inbox' }).click()
  await expectHeading(t, page, 'Rosa Martin’s inbox')
})

const gmailRequest = [
  'From: Gmail Team <forwarding-noreply@google.com>',
  'Subject: (#987654321) Gmail Forwarding Confirmation - Receive Mail from rosa@gmail.com',
  'Message-ID: <request@google.com>',
  '',
  'Confirmation code: 987654321',
].join('\r\n')

test('submitting the last step twice creates one inbox', async (t) => {
  const { f, sink } = t.context
  const visitor = await signIn(f, sink, `${randomText(8)}@twice.example`)
  const form = { step: '2', lovedOne: 'Rosa', yourName: 'Ana', familyName: 'Twice', relationship: '', key: 'one-form' }
  const made = await Promise.all([1, 2].map(() => visitor.submit('/welcome', form)))
  t.deepEqual(
    made.map(({ status }) => status),
    [303, 303],
  )
  t.is(made[0]?.headers.location, made[1]?.headers.location)
  t.is((await visitor.get('/families')).headers.location, '/', 'there is one, and nothing to choose')
})

onScreen('on a wide screen new mail appears without a reload and opens beside the list', async (t) => {
  const { f, sink, browser } = t.context
  await using context = await openAs(f, sink, browser, f.family.people.owner, {
    viewport: { width: 1280, height: 900 },
  })
  const page = await context.newPage()
  const live = page.waitForResponse((response) => response.url().includes('/inbox/live?'))
  await page.goto(f.stack.inboxUrl)
  t.is((await live).headers()['content-type'], 'text/event-stream; charset=utf-8')
  await page.evaluate('window.stays = true')
  await page.getByRole('link', { name: 'Junk', exact: true }).focus()
  const subject = `Good news ${randomText(6)}`
  await receive(f, lovedOneOf(f, 1).inboxAddress, plainMail(subject))
  const row = page.locator('.mail', { hasText: subject })
  await row.waitFor()
  t.is(await page.locator(':focus').textContent(), 'Junk', 'whoever uses the keyboard stays where they were')
  t.true((await row.getAttribute('class'))?.includes('unread'))
  t.is(await page.locator('#mail-news').textContent(), '1 new message')
  await row.getByRole('link').click()
  await page.getByRole('heading', { level: 1, name: subject }).waitFor()
  t.true(await row.isVisible(), 'the list stays')
  t.regex(new URL(page.url()).pathname, /^\/inbox\/lo_\w+\/msg_\w+$/)
  await page.locator('.mail.open:not(.unread)', { hasText: subject }).waitFor()
  t.true(await page.evaluate('window.stays'))
  await page.goBack()
  await page.getByText('Select a message').waitFor()
})

onScreen('an answer joins the row of its conversation, which shows all its messages, older ones folded', async (t) => {
  const { f, sink, browser } = t.context
  const [id, { inboxAddress }] = [randomText(8), lovedOneOf(f)]
  const send = (step: number, words: string) =>
    receive(
      f,
      inboxAddress,
      mail(
        {
          Subject: `${step > 1 ? 'Re: ' : ''}Glasses ${id}`,
          'Message-ID': `<${id}.${step}@clinic.example>`,
          ...(step > 1 && { 'In-Reply-To': `<${id}.${step - 1}@clinic.example>` }),
        },
        words,
      ),
    )
  await send(1, 'Please bring her glasses.')
  await using context = await openAs(f, sink, browser, f.family.people.owner, {
    viewport: { width: 1440, height: 900 },
  })
  const page = await context.newPage()
  await page.goto(f.stack.inboxUrl)
  const rows = page.locator('.mail', { hasText: `Glasses ${id}` })
  await rows.waitFor()
  await send(2, 'And the hearing aid.')
  await rows.locator('.turn-count', { hasText: '2' }).waitFor()
  t.true(await becomesTrue(async () => (await rows.count()) === 1))
  await rows.getByRole('link').click()
  await page.getByRole('heading', { level: 1, name: `Re: Glasses ${id}` }).waitFor()
  await page.locator('#message > .body', { hasText: 'And the hearing aid.' }).waitFor()
  t.true(await page.locator('.earlier .turn summary', { hasText: '· unread' }).isVisible())
  t.false(await page.locator('.earlier .body').isVisible(), 'not verified, so folded')
  await page.reload()
  await page.getByText('1 earlier message').click()
  t.false(await page.locator('.earlier .body').isVisible())
  await page.locator('.earlier .turn summary').click()
  t.true(await page.locator('.earlier .body', { hasText: 'glasses' }).isVisible())
  await page.getByRole('link', { name: 'Open this message' }).click()
  await page.getByRole('heading', { level: 1, name: `Glasses ${id}`, exact: true }).waitFor()
  t.true(await page.locator('#family .turn', { hasText: 'And the hearing aid.' }).isVisible())
  await send(3, 'Thank you.')
  await page.locator('.mail.open .turn-count', { hasText: '3' }).waitFor()
  await page.getByRole('searchbox').fill(`from:desk ${id} has:file`)
  await page.keyboard.press('Enter')
  await page.getByText('No messages found').waitFor()
  await page.getByRole('searchbox').fill(`from:desk ${id} after:yesterday "hearing aid"`)
  await page.keyboard.press('Enter')
  await page.locator('.mail mark', { hasText: 'hearing' }).waitFor()
  t.is(await page.locator('.mail').count(), 1)
  await page.getByRole('searchbox').fill('before:soon')
  await page.keyboard.press('Enter')
  await page.getByRole('alert', { name: '' }).filter({ hasText: 'takes a date, such as before:2026-05-01' }).waitFor()
})

onScreen('after many page loads within seconds, new mail still appears immediately', async (t) => {
  const { f, sink, browser } = t.context
  await using context = await openAs(f, sink, browser, f.family.people.owner)
  const page = await context.newPage()
  const statuses: number[] = []
  page.on('response', (response) => void (response.url().includes('/inbox/live?') && statuses.push(response.status())))
  for (let load = 0; load < 10; load += 1) {
    const live = page.waitForResponse((response) => response.url().includes('/inbox/live?'))
    await page.goto(f.stack.inboxUrl)
    await live
  }
  const subject = `Good news ${randomText(6)}`
  await receive(f, lovedOneOf(f, 1).inboxAddress, plainMail(subject))
  await page.locator('.mail', { hasText: subject }).waitFor({ timeout: 10_000 })
  t.deepEqual(new Set(statuses), new Set([200]))
})

onScreen('the list is loaded again only when something changed', async (t) => {
  const { f, sink, browser } = t.context
  const visitor = await signInToQuietFamily(f, sink)
  await using context = await openWith(f, browser, visitor.cookie)
  const page = await context.newPage()
  const loads: string[] = []
  page.on('request', (request) => void (request.resourceType() === 'fetch' && loads.push(request.url())))
  const live = page.waitForResponse((response) => response.url().includes('/inbox/live?'))
  await page.goto(f.stack.inboxUrl)
  await live
  const first = page.locator('.mail').first()
  const href = (await first.locator('a').first().getAttribute('href')) ?? ''
  const { pathname } = new URL(href, f.stack.inboxUrl)
  await visitor.submit(`${pathname}/status`, { act: 'take' })
  await first.locator('.taken').waitFor()
  await visitor.submit(`${pathname}/status`, { act: 'give-back' })
  await first.locator('.taken').waitFor({ state: 'detached' })
  t.is(loads.length, 2)
})

onScreen('a tab that I opened behind another loads its list again when I turn to it', async (t) => {
  const { f, sink, browser } = t.context
  const visitor = await signInToQuietFamily(f, sink)
  await using context = await openWith(f, browser, visitor.cookie)
  const page = await context.newPage()
  await page.addInitScript(`Object.defineProperty(document, 'hidden', { get: () => window.isInFront !== true })`)
  await page.goto(f.stack.inboxUrl)
  const loaded = page.waitForRequest((request) => request.resourceType() === 'fetch')
  await page.evaluate(`window.isInFront = true; document.dispatchEvent(new Event('visibilitychange'))`)
  t.is((await loaded).url(), `${f.stack.inboxUrl}/`)
})

/** The owner of another family, about which nothing is announced any more: what was found out about its first letters was. */
async function signInToQuietFamily(f: Guest, sink: Sink): Promise<Visitor> {
  const family = await f.another({ withMail: true })
  const visitor = await signIn(f, sink, family.people.owner)
  await until(async () => {
    const [, asOf = ''] = /data-as-of="([^"]+)"/.exec((await visitor.get('/')).text) ?? []
    const window = await listen(f, visitor.cookie, asOf)
    await window.hear('event: listening')
    window.close()
    return window.hasHeard('data: unchanged')
  })
  return visitor
}

onScreen('a reply is sent once, and its delivery status updates without a reload', async (t) => {
  const { f, sink, browser } = t.context
  const visitor = await signIn(f, sink, f.family.people.coordinator)
  const sender = `${randomText(8)}@clinic.example`
  const { path, subject } = await receiveOne(f, visitor, (subject) =>
    plainMail(subject).replace('desk@clinic.example', sender),
  )
  await using context = await openAs(f, sink, browser, f.family.people.coordinator)
  const page = await context.newPage()
  await page.goto(f.stack.inboxUrl + path)
  const key = await page.locator('.reply [name=key]').inputValue()
  await page.locator('summary', { hasText: 'Reply' }).click()
  await press(page, 'Send reply')
  await page.getByRole('alert').getByText('Enter your reply').waitFor()
  await page.getByLabel('Your reply').fill('Thank you, we will come.')
  await press(page, 'Send reply')
  await page.getByText('Sending your reply.').waitFor()
  await page.getByText('Delivered to their mail server').waitFor()
  t.true((await page.locator('.turn.ours').textContent())?.includes('Luis Almeida'))
  const again = await visitor.submit(`${path}/reply`, { body: 'Thank you, we will come.', key })
  t.is(again.status, 303)
  const other = await visitor.submit(`${path}/reply`, { body: 'Something else.', key })
  t.is(other.status, 422)
  t.true(other.text.includes('Something else.'), 'what was typed is kept')
  const mails = await sink.waitFor(sender)
  t.is(mails.length, 1)
  t.true(mails[0]?.raw.includes(`Subject: Re: ${subject}`))
})

test('from the mail of everyone, whatever I do with a message leads back to the mail of everyone', async (t) => {
  const { f, sink } = t.context
  const visitor = await signIn(f, sink, f.family.people.coordinator)
  const { path } = await receiveOne(f, visitor, (subject) => plainMail(subject))
  const { text } = await visitor.get(`${path}?all=1`)
  const forms = [...text.matchAll(/action="([^"]*\/inbox\/[^"]+)"/g)].map(([, action = '']) => action)
  const ofMessage = forms.filter((action) => action.startsWith(`${path}/`))
  t.true(ofMessage.length >= 6)
  for (const action of ofMessage) t.true(action.endsWith('?all=1'), action)
  const key = /name="key" value="([^"]+)"/.exec(text)?.[1] ?? ''
  const sent = await visitor.submit(`${path}/reply?all=1`, { body: 'We will come.', key })
  t.is(String(sent.headers.location).replace(/&sent=[^#]*/, ''), `${path}?all=1#family`)
  const reply = /name="reply" value="([^"]+)"/.exec((await visitor.get(`${path}?all=1`)).text)?.[1] ?? ''
  const undone = await visitor.submit(`${path}/undo?all=1`, { reply })
  t.is(undone.headers.location, `${path}?all=1#reply`)
  const filed = await visitor.submit(`${path}/category?all=1`, { category: 'billing' })
  t.is(filed.headers.location, `${path}?all=1`)
  t.is((await visitor.submit(`${path}/unread?all=1`, {})).headers.location, '/')
})

test('“Done after sending” marks the message as done, and undoing the reply opens it again', async (t) => {
  const { f, sink } = t.context
  const visitor = await signIn(f, sink, f.family.people.coordinator)
  const { path } = await receiveOne(f, visitor, (subject) => plainMail(subject))
  const { text } = await visitor.get(path)
  t.true(text.includes('We can’t check that this is their address.'), 'nothing signed it')
  const key = /name="key" value="([^"]+)"/.exec(text)?.[1] ?? ''
  await visitor.submit(`${path}/reply`, { body: 'We will come.', key, finish: '1' })
  const sent = (await visitor.get(path)).text
  t.true(sent.includes('Sending your reply. Marked as done.'))
  t.true(sent.includes('<strong>Done</strong>'))
  t.true(sent.includes('name="reopen"'))
  const reply = /name="reply" value="([^"]+)"/.exec(sent)?.[1] ?? ''
  await visitor.submit(`${path}/undo`, { reply, reopen: '1' })
  const undone = (await visitor.get(path)).text
  t.false(undone.includes('<strong>Done</strong>'))
  t.true(undone.includes('We will come.'), 'the words are a draft again')
})

test('a viewer sees no form that writes, and forged forms are refused; their read marks are their own', async (t) => {
  const { f, sink } = t.context
  const viewer = await signIn(f, sink, f.family.people.viewer)
  const { path } = await receiveOne(f, viewer, (subject) => plainMail(subject))
  const page = (await viewer.get(path)).text
  for (const control of ['/reply"', '/category"', '/status"', 'name="body"']) t.false(page.includes(control), control)
  t.is((await viewer.submit(`${path}/reply`, { body: 'Hello', key: 'x' })).status, 403)
  t.is((await viewer.submit(`${path}/category`, { category: 'billing' })).status, 403)
  t.is((await viewer.submit(`/forwarding/${lovedOneOf(f).id}/test`, { key: 'x' })).status, 403)
  t.false((await viewer.get(`/forwarding/${lovedOneOf(f).id}`)).text.includes('Send a test email</button>'))
  t.is((await viewer.submit(`${path}/unread`, {})).status, 303)
})

onScreen('the inbox works without scripts', async (t) => {
  const { f, sink, browser } = t.context
  await using context = await openAs(f, sink, browser, f.family.people.owner, { javaScriptEnabled: false })
  const page = await context.newPage()
  const word = randomText(10)
  await receive(f, lovedOneOf(f).inboxAddress, plainMail(`Invoice ${word}`, `Please pay for the ${word}.`))
  await page.goto(f.stack.inboxUrl)
  await page.locator('.mail', { hasText: word }).getByRole('link').click()
  await expectHeading(t, page, `Invoice ${word}`)
  await page.getByText('More actions').click()
  await page.locator('#filed').selectOption('results')
  await press(page, 'Change category')
  await page.getByText('Category changed').waitFor()
  await page.locator('summary', { hasText: 'Reply' }).click()
  await page.getByLabel('Your reply').fill('Paid.')
  await press(page, 'Send reply')
  await page.getByText('replied to').first().waitFor()
  await page.getByText('More actions').click()
  await press(page, 'Mark as unread')
  t.true((await page.locator('.mail.unread', { hasText: word }).count()) === 1)
  const found = async () => {
    await page.goto(f.stack.inboxUrl)
    await page.getByRole('searchbox').fill(word)
    await press(page, 'Search')
    return page.locator('.mail').count()
  }
  await until(async () => (await found()) > 0)
  t.is(await page.locator('.mail').count(), 1)
  t.false(page.url().includes(word), 'the search words are not in the URL')
  await page.getByRole('link', { name: /clear/ }).click()
  t.true((await page.locator('.mail').count()) > 1)
  await page.getByText('Filter', { exact: true }).click()
  await page.getByLabel('Category').selectOption('results')
  await press(page, 'Apply filters')
  t.true((await page.locator('.mail', { hasText: word }).count()) === 1)
  await page.goto(f.stack.inboxUrl)
  await press(page, 'Mark all as read')
  t.is(await page.locator('.mail.unread').count(), 0)
})

test('a letter beside a placeholder is read, found, previewed and dated like any other, by people and assistants', async (t) => {
  const { f, sink } = t.context
  const visitor = await signIn(f, sink, f.family.people.owner)
  const word = `warfarin${randomText(8)}`
  const day = new Date(Date.now() + 20 * 86_400_000)
  const on = day.toLocaleDateString('en-GB', { day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' })
  const letter = html(
    `<p>Do not take ${word} tonight.</p><p>Next blood test: ${on} at 8:15.</p><p>12 Oak Street, Dover</p>`,
  )
  const { path, messageId, subject } = await receiveOne(f, visitor, (title) =>
    multipartMail({ Subject: title }, 'alternative', [text('Bitte aktivieren Sie die HTML-Ansicht.'), letter]),
  )
  const { text: page } = await visitor.get(path)
  t.true(page.includes(`Do not take ${word} tonight.`))
  const [, add = ''] = /8:15[^<]*: <a href="([^"]+)">Add as appointment/.exec(page) ?? []
  const form = (await visitor.get(add.replaceAll('&#38;', '&'))).text
  t.true(form.includes(`value="${subject}"`))
  t.regex(form, /name="place"[^>]*value="12 Oak Street, Dover"/)
  t.false(page.includes('HTML-Ansicht'))
  const lovedOneId = lovedOneOf(f).id
  const key = f.family.keys.owner
  const { json } = await f.call(key, 'get_inbox_message', { lovedOneId, messageId })
  t.true(json.result.structuredContent.body.startsWith(`Do not take ${word} tonight.`))
  const list = (await f.call(key, 'list_inbox_messages', { lovedOneId })).json.result.structuredContent.messages
  const { preview } = list.find(({ id }: { id: string }) => id === messageId)
  t.true(preview.startsWith(`Do not take ${word} tonight.`))
  const search = async () => {
    const { headers } = await visitor.submit('/inbox/search', { words: word, for: '' })
    return (await visitor.get(String(headers.location))).text.includes(subject)
  }
  t.true(await becomesTrue(search))
})

test('a letter that may be a scam says so, has no links until I know its sender, and never leads what needs an answer', async (t) => {
  const { f, sink } = t.context
  const visitor = await signIn(f, sink, f.family.people.owner)
  const words = 'Can you confirm your Medicare number and bank account? https://scam.example/confirm'
  const { path, subject } = await receiveOne(f, visitor, (subject) =>
    multipartMail({ Subject: subject }, 'alternative', [
      text(words),
      html(`<p>${words}</p><a href="https://scam.example/x">Confirm</a>`),
    ]),
  )
  const page = (await visitor.get(path)).text
  t.regex(page, /May be a scam.*It asks for a Medicare or Social Security number and a card or bank number/s)
  t.false(page.includes('href="https://scam.example'))
  t.regex(page, /<iframe sandbox="allow-same-origin" [^>]*\/original\?links=text"/)
  t.regex((await visitor.get(`${path}/original?links=text`)).text, /pointer-events: none/)
  const known = (await visitor.get(`${path}?links=1`)).text
  t.true(known.includes('href="https://scam.example/confirm"'))
  t.true(known.includes('May be a scam'))
  const next = (await visitor.get('/inbox/next')).text
  t.false(/May need an answer.*?<\/section>/s.exec(next)?.[0].includes(subject) ?? false)
})

onScreen('a hostile message runs nothing and loads nothing, even in its original layout', async (t) => {
  const { f, sink, browser } = t.context
  const visitor = await signIn(f, sink, f.family.people.owner)
  const { path } = await receiveOne(f, visitor, (subject) =>
    multipartMail({ Subject: subject }, 'alternative', [text('Plain words.'), html(HOSTILE)]),
  )
  await using context = await openAs(f, sink, browser, f.family.people.owner)
  const page = await context.newPage()
  const foreign: string[] = []
  const alarms: string[] = []
  context.on('request', (request) => {
    if (!request.url().startsWith(f.stack.inboxUrl) && !request.url().startsWith('data:')) foreign.push(request.url())
  })
  page.on('dialog', (dialog) => void alarms.push(dialog.message()))
  await page.goto(f.stack.inboxUrl + path)
  t.true((await page.locator('.body').first().textContent())?.includes('Plain words.'))
  const framed = page.waitForResponse((response) => response.url().endsWith('/original'))
  await page.getByText('Show original layout').click()
  const policy = (await framed).headers()['content-security-policy'] ?? ''
  t.regex(policy, /default-src 'none'/)
  t.regex(policy, /sandbox allow-same-origin allow-popups/)
  t.notRegex(policy, /allow-scripts|allow-forms|allow-top-navigation|https?:/)
  t.notRegex(
    (await page.locator('iframe').getAttribute('sandbox')) ?? '',
    /allow-scripts|allow-forms|allow-top-navigation/,
  )
  const frame = page.frameLocator('iframe')
  await frame.getByText('Rich words.').waitFor()
  t.is(await frame.locator('script, iframe, form, object, img[src^=http], [onclick], [onerror]').count(), 0)
  t.deepEqual(foreign, [])
  t.deepEqual(alarms, [])
  t.is(await page.title().then((title) => title.includes('stolen')), false)
})

const HOSTILE = `<p>Rich words.</p><script>document.title='stolen';alert(1)</script><img src=x onerror=alert(2)>
<img src="https://evil.example/pixel"><iframe src="https://evil.example"></iframe><a href="javascript:alert(3)">x</a>
<form action="https://evil.example"><button>Sign in</button></form><style>@import url(https://evil.example/x.css)</style>
<link rel=stylesheet href="https://evil.example/y.css"><meta http-equiv=refresh content="0;url=https://evil.example">
<svg onload=alert(4)></svg><p onclick=alert(5) style="background:url(https://evil.example/b)">y</p>`

test('an attachment is downloaded, never opened: its type, name, and policy say so', async (t) => {
  const { f, sink } = t.context
  const visitor = await signIn(f, sink, f.family.people.viewer)
  const page = '<script>alert(1)</script>'
  const { path } = await receiveOne(f, visitor, (subject) =>
    multipartMail({ Subject: subject }, 'mixed', [
      text('Files.'),
      attachment('Größe €.pdf', 'application/pdf', Buffer.from('%PDF')),
      attachment('page.html', 'text/html', Buffer.from(page)),
      attachment('drawing.svg', 'image/svg+xml', Buffer.from(`<svg>${page}</svg>`)),
    ]),
  )
  const files = await Promise.all([0, 1, 2].map((index) => visitor.get(`${path}/files/${index}`)))
  t.deepEqual(
    files.map(({ text: content }) => content),
    ['%PDF', page, `<svg>${page}</svg>`],
  )
  t.deepEqual(
    files.map(({ headers }) => headers['content-type']),
    ['application/pdf', 'application/octet-stream', 'application/octet-stream'],
  )
  for (const { headers } of files) {
    t.regex(headers['content-disposition'] ?? '', /^attachment; filename=/)
    t.is(headers['x-content-type-options'], 'nosniff')
    t.regex(String(headers['content-security-policy']), /^sandbox; default-src 'none'/)
    t.is(headers['cache-control'], 'no-store')
  }
  t.regex(files[0]?.headers['content-disposition'] ?? '', /filename\*=UTF-8''Gr%C3%B6%C3%9Fe/)
  for (const index of ['3', '-1', 'x', '0x0', '99999'])
    t.is((await visitor.get(`${path}/files/${index}`)).status, 404, index)
})

test('another family’s ids get the same response as unknown ids, on every page and form', async (t) => {
  const { f, sink } = t.context
  const strangers = await f.another({ withMail: true })
  const stranger = await signIn(f, sink, strangers.people.owner)
  const theirs = strangers.lovedOnes[0]?.id ?? ''
  const listed = (await stranger.get(`/inbox/${theirs}`)).text
  const theirMessage = /\/(msg_[a-z0-9]+)/.exec(listed)?.[1] ?? ''
  t.truthy(theirMessage)
  const visitor = await signIn(f, sink, f.family.people.owner)
  const ours = lovedOneOf(f).id
  const seen = ({ status, text: body, headers }: Answer, ...ids: string[]) => ({
    status,
    location: headers.location,
    body: ids.reduce((all, id) => all.replaceAll(id, ''), body),
  })
  const [noOne, noMessage] = [`lo_${randomText(26)}`, `msg_${'0'.repeat(32)}`]
  for (const path of ['', '/original', '/files/0'])
    for (const [lovedOne, missing] of [
      [theirs, noOne],
      [ours, ours],
    ] as const) {
      const foreign = seen(await visitor.get(`/inbox/${lovedOne}/${theirMessage}${path}`), lovedOne, theirMessage)
      t.deepEqual(foreign, seen(await visitor.get(`/inbox/${missing}/${noMessage}${path}`), missing, noMessage), path)
      t.is(foreign.status, 404)
    }
  for (const [path, form] of [
    ['/reply', { body: 'Hello', key: 'k' }],
    ['/category', { category: 'billing' }],
    ['/unread', {}],
  ] as const)
    for (const [lovedOne, missing] of [
      [theirs, noOne],
      [ours, ours],
    ] as const) {
      const foreign = seen(await visitor.submit(`/inbox/${lovedOne}/${theirMessage}${path}`, form), theirMessage)
      t.deepEqual(foreign, seen(await visitor.submit(`/inbox/${missing}/${noMessage}${path}`, form), noMessage), path)
      t.is(foreign.status, 404)
    }
  for (const path of ['/inbox/', '/forwarding/'])
    t.deepEqual(seen(await visitor.get(path + theirs), theirs), seen(await visitor.get(path + noOne), noOne), path)
  for (const [path, form] of [
    ['/inbox/search', { words: 'a', for: '' }],
    ['/inbox/read', { seen: new Date().toISOString(), for: '' }],
  ] as const) {
    const foreign = await visitor.submit(path, { ...form, for: theirs })
    t.deepEqual(seen(foreign), seen(await visitor.submit(path, { ...form, for: noOne })), path)
    t.is(foreign.status, 404)
  }
  t.true((await stranger.get(`/inbox/${theirs}/${theirMessage}`)).status === 200, 'the other family can still open it')
})

test('search results open only for the person who searched, and never include another family’s mail', async (t) => {
  const { f, sink } = t.context
  const visitor = await signIn(f, sink, f.family.people.owner)
  const { headers } = await visitor.submit('/inbox/search', { words: 'appointment', for: '' })
  const address = String(headers.location)
  t.regex(address, /^\/\?words=[\w-]+$/)
  t.true((await visitor.get(address)).text.includes('“appointment”'))
  const coordinator = await signIn(f, sink, f.family.people.coordinator)
  t.false((await coordinator.get(address)).text.includes('“appointment”'))
  const word = randomText(12)
  const strangers = await f.another()
  await receive(f, strangers.lovedOnes[0]?.inboxAddress ?? '', mail({ Subject: `Secret ${word}` }, word))
  const search = await visitor.submit('/inbox/search', { words: word, for: '' })
  t.true((await visitor.get(String(search.headers.location))).text.includes('No messages found'))
})

test('a fifth window of a session replaces the oldest of four, and strangers cannot listen', async (t) => {
  const { f, sink } = t.context
  const { cookie } = await signIn(f, sink, f.family.people.owner)
  const listen = (headers: Record<string, string>) => {
    const gone = new AbortController()
    return fetch(`${f.stack.inboxUrl}/inbox/live`, { headers, redirect: 'manual', signal: gone.signal }).then(
      (response) => ({ status: response.status, response, gone }),
    )
  }
  t.is((await listen({})).status, 303)
  const windows: Awaited<ReturnType<typeof listen>>[] = []
  // One after another, so that the first is the oldest.
  for (let nth = 0; nth < 4; nth += 1) windows.push(await listen({ cookie }))
  t.deepEqual(
    windows.map(({ status }) => status),
    [200, 200, 200, 200],
  )
  const fifth = await listen({ cookie })
  t.is(fifth.status, 200)
  t.regex((await windows[0]?.response.text()) ?? '', /retry: 60000\n\n$/)
  for (const { gone } of [...windows, fifth]) gone.abort()
})
