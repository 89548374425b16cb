import type { OtherMember } from '@family-inbox/ops/demo-seed'
import { randomText } from '@family-inbox/service-kit/ids/ids'
import { openDatabase } from '../_database.ts'
import type { Guest } from '../_family.ts'
import { openMailer } from '../_mailer.ts'
import type { FamilyOptions } from '../_shared-stack.ts'
import { until } from '../_wait.ts'
import { plainMail } from '../inbox/_smtp-client.ts'
import { openAs, openSharedScenes, openWith, signIn, Visitor } from './_app.ts'

const { test, onScreen } = openSharedScenes('standard', { withMail: true })

/** A new family with a letter, and a secret for its note. */
async function newScene<Other extends OtherMember = never>(
  f: Guest,
  { text, ...options }: FamilyOptions<Other> & { text?: string } = {},
) {
  const family = await f.another(options)
  const { people, keys, lovedOnes } = family
  const [rosa] = lovedOnes
  const sender = `${randomText(10)}@clinic.example`
  const subject = `Letter ${randomText(8)}`
  await openMailer(f.stack).deliver(
    rosa?.inboxAddress ?? '',
    plainMail(subject, text).replace('desk@clinic.example', sender),
  )
  const lovedOneId = rosa?.id ?? ''
  const list = await f.call(keys.owner, 'list_inbox_messages', { lovedOneId })
  const messageId = list.json.result.structuredContent.messages.find(
    (one: { subject: string }) => one.subject === subject,
  ).id
  const path = `/inbox/${lovedOneId}/${messageId}`
  return { family, people, keys, sender, subject, lovedOneId, messageId, path, secret: `zq${randomText(14)}` }
}

/** As passing checks leave their mail: tests have no DNS. */
async function verifySenders({ stack }: Guest, workspaceId: string): Promise<void> {
  await using mongo = await openDatabase(stack, 'inbox')
  const messages = mongo.db().collection('messages')
  await until(async () => (await messages.countDocuments({ workspaceId, authenticityPending: true })) === 0)
  const authenticity = { spf: 'pass', dkim: 'pass', dmarc: 'pass', arc: 'none', aligned: true }
  await messages.updateMany({ workspaceId }, { $set: { authenticity } })
}

test('a note is for the family: members read and write them, viewers too, and another family finds nothing', async (t) => {
  const { f, sink } = t.context
  const { people, path, secret } = await newScene(f, { others: ['viewer'] })
  const [ana, viewer] = [await signIn(f, sink, people.owner), await signIn(f, sink, people.viewer)]
  const form = { note: `Call before noon ${secret}`, key: 'k' }
  for (let again = 0; again < 2; again += 1) t.is((await ana.submit(`${path}/notes`, form)).status, 303)
  const { text } = await viewer.get(path)
  t.is(text.split(secret).length - 1, 1, 'the same form adds one note')
  const edited = `Call after noon ${secret}`
  t.is((await ana.submit(`${path}/notes`, { ...form, note: edited })).status, 303)
  t.true((await viewer.get(path)).text.includes(edited), 'and what was edited in it another one')
  t.true(text.includes('Only your family sees them. They are never sent.'))
  t.true(text.includes('Add a note'))
  const byViewer = `I can drive on Wednesday ${secret}`
  t.is((await viewer.submit(`${path}/notes`, { note: byViewer, key: 'v' })).status, 303)
  t.true((await ana.get(path)).text.includes(byViewer))
  const stranger = await signIn(f, sink, (await f.another()).people.owner)
  t.is((await stranger.submit(`${path}/notes`, { ...form, key: 's' })).status, 404)
  t.is((await stranger.submit(`${path}/status`, { act: 'take' })).status, 404)
  const signedOut = await new Visitor(f).submit(`${path}/notes`, { note: `Kept ${secret}`, key: 'o' })
  t.is(signedOut.status, 422)
  t.true(signedOut.text.includes(`Kept ${secret}`) && signedOut.text.includes('Your session ended'))
  const tooLong = await ana.submit(`${path}/notes`, { note: `${secret} ${'x'.repeat(2001)}`, key: 'l' })
  t.is(tooLong.status, 422)
  t.true(tooLong.text.includes('Enter your note, up to 2,000 characters') && tooLong.text.includes('x'.repeat(2001)))
})

test('no tool returns a note until the owner allows it, and no mail ever contains one', async (t) => {
  const { f, sink } = t.context
  const { family, people, keys, path, secret, lovedOneId, messageId, sender } = await newScene(f, {
    others: ['coordinator', 'viewer'],
  })
  const { workspaceId } = family
  const [ana, luis] = [await signIn(f, sink, people.owner), await signIn(f, sink, people.coordinator)]
  await ana.submit(`${path}/notes`, { note: `@Luis call before noon ${secret}`, key: 'k' })
  const calls: [string, object][] = [
    ['list_inbox_messages', { lovedOneId }],
    ['get_inbox_message', { lovedOneId, messageId }],
    ['list_care_events', { lovedOneId }],
    ['list_family_members', {}],
    ['list_loved_ones', {}],
    ['get_user_profile', {}],
    ['ping', {}],
  ]
  const read = async () => {
    const answers = await Promise.all(calls.map(([name, args]) => f.call(keys.owner, name, args)))
    return answers.map((answer) => answer.text)
  }
  t.false((await read()).some((text) => text.includes(secret)))
  await ana.submit(`${path}/draft`, { body: 'Thank you.', key: 'd', include: 'original' })
  t.true((await ana.get(path)).text.includes('Thank you.'))
  const quoted = /<textarea id="body"[^>]*>([^<]*)</.exec((await ana.get(path)).text)?.[1] ?? ''
  t.false(quoted.includes(secret), 'not quoted')
  await f.call(keys.owner, 'reply_to_inbox_message', { messageId, lovedOneId, body: quoted })
  await ana.submit(`${path}/status`, { act: 'take' })
  await sink.waitFor(sender)
  t.false(sink.mails.some(({ raw }) => raw.replaceAll('=\r\n', '').includes(secret)))

  t.is((await luis.submit('/settings/notes', { allowed: '1' })).status, 403)
  t.false((await read()).some((text) => text.includes(secret)))
  t.is((await ana.submit('/settings/notes', { allowed: '1' })).status, 303)
  await verifySenders(f, workspaceId)
  const allowed = await f.call(keys.viewer, 'get_inbox_message', { lovedOneId, messageId })
  const { notes, status, assignedTo } = allowed.json.result.structuredContent
  t.is(notes.length, 1)
  t.like(notes[0], { author: 'Ana Almeida', text: `@Luis call before noon ${secret}` })
  t.deepEqual([status, assignedTo], ['taken', 'Ana Almeida'])
  t.deepEqual(
    (await read()).map((text) => text.includes(secret)),
    [false, true, false, false, false, false, false],
  )
  await ana.submit('/settings/notes', {})
  t.false((await read()).some((text) => text.includes(secret)))
})

test('a name that nobody has is said, and who gets an email; names of members are bold', async (t) => {
  const { f, sink } = t.context
  const { people, path } = await newScene(f, { others: ['coordinator'] })
  const ana = await signIn(f, sink, people.owner)
  await ana.submit(`${path}/notes`, { note: '@Louis, and @Luis: who drives?', key: 'm' })
  const { text } = await ana.get(path)
  t.true(text.includes('<strong>@Luis</strong>'))
  t.regex(text, /Luis[^<]*<\/bdi> gets an email\. Nobody here is called <bdi>Louis<\/bdi>\./)
})

onScreen('after an @, members are suggested, and the keyboard chooses one', async (t) => {
  const { f, sink, browser } = t.context
  const { people, path } = await newScene(f, { others: ['coordinator'] })
  await using context = await openAs(f, sink, browser, people.owner)
  const page = await context.newPage()
  await page.goto(f.stack.inboxUrl + path)
  await page.getByText('Add a note').click()
  const field = page.getByLabel('Your note')
  await field.pressSequentially('Ask @lu')
  const suggested = page.getByRole('listbox', { name: 'Members' }).getByRole('option')
  await suggested.filter({ hasText: 'Luis' }).waitFor()
  await field.press('Enter')
  t.regex(await field.inputValue(), /^Ask @Luis \S+ $/)
  await field.pressSequentially('or desk@lu')
  t.is(await suggested.count(), 0, 'an email address names nobody')
})

test('its author or the owner deletes a note, nobody else', async (t) => {
  const { f, sink } = t.context
  const { people, path, secret } = await newScene(f, { others: ['coordinator'] })
  const [ana, luis] = [await signIn(f, sink, people.owner), await signIn(f, sink, people.coordinator)]
  await ana.submit(`${path}/notes`, { note: `By Ana ${secret}`, key: 'a' })
  await luis.submit(`${path}/notes`, { note: `By Luis ${secret}`, key: 'l' })
  const idsFor = async (visitor: typeof ana) => {
    const page = (await visitor.get(path)).text
    return [...page.matchAll(/<input type="hidden" name="note" value="(note_\w+)"><button[^>]*>Delete note/g)].map(
      ([, id]) => id ?? '',
    )
  }
  const [byAna, byLuis] = await idsFor(ana)
  t.deepEqual(await idsFor(luis), [byLuis])
  t.is((await luis.submit(`${path}/notes/delete`, { note: byAna ?? '' })).status, 403)
  t.is((await ana.submit(`${path}/notes/delete`, { note: byLuis ?? '' })).status, 303)
  t.deepEqual(await idsFor(ana), [byAna])
})

test('a letter that asks for an answer by a day offers a reminder, which nobody gets unless someone sets it', async (t) => {
  const { f, sink } = t.context
  const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)
  const { people, path, subject, lovedOneId } = await newScene(f, {
    text: `Por favor, responda antes del ${inDays(6)}.`,
    others: ['viewer'],
  })
  const [ana, viewer] = [await signIn(f, sink, people.owner), await signIn(f, sink, people.viewer)]
  const { text } = await ana.get(path)
  t.true(text.includes('They ask for an answer by') && text.includes('Remind us the day before?'))
  t.false(text.includes('Reminder on'), 'none is set')
  t.false((await viewer.get(path)).text.includes('They ask for an answer'))
  const next = await ana.get(`/inbox/next?for=${lovedOneId}`)
  t.regex(next.text.slice(next.text.indexOf('May need an answer')), new RegExp(`${subject}[^]{0,400}answer by`))
  const form = /<form class="offer"[\s\S]*?name="day" value="([^"]+)"[\s\S]*?name="unanswered" value="1"/.exec(text)
  t.is(form?.[1], inDays(5))
  t.is((await ana.submit(`${path}/reminders`, { day: form?.[1] ?? '', unanswered: '1' })).status, 303)
  const after = (await ana.get(path)).text
  t.true(after.includes('Reminder on'))
  t.false(after.includes('They ask for an answer'), 'not offered twice')
})

test('a letter offers no reminder once it was answered or is done, and when its day has come', async (t) => {
  const { f, sink } = t.context
  const soon = `Please let us know by ${new Date(Date.now() + 6 * 86_400_000).toISOString().slice(0, 10)}.`
  const offers = async (visitor: Visitor, path: string) =>
    (await visitor.get(path)).text.includes('They ask for an answer by')
  const done = await newScene(f, { text: soon })
  const ana = await signIn(f, sink, done.people.owner)
  t.true(await offers(ana, done.path))
  await ana.submit(`${done.path}/status`, { act: 'done' })
  t.false(await offers(ana, done.path))
  await ana.submit(`${done.path}/status`, { act: 'open-again' })
  t.true(await offers(ana, done.path))
  const { messageId, lovedOneId } = done
  await f.call(done.keys.owner, 'reply_to_inbox_message', { messageId, lovedOneId, body: 'We come.' })
  t.false(await offers(ana, done.path))

  const today = await newScene(f, { text: `Please let us know by ${new Date().toISOString().slice(0, 10)}.` })
  t.false(await offers(await signIn(f, sink, today.people.owner), today.path))
})

test('a deleted note is on no page but for its author and the owner, who put it back, and after 30 days it is gone', async (t) => {
  const { f, sink } = t.context
  const { family, people, keys, path, secret, lovedOneId, messageId } = await newScene(f, {
    others: ['coordinator', 'viewer'],
  })
  const [ana, luis] = [await signIn(f, sink, people.owner), await signIn(f, sink, people.coordinator)]
  const viewer = await signIn(f, sink, people.viewer)
  await ana.submit('/settings/notes', { allowed: '1' })
  await verifySenders(f, family.workspaceId)
  await luis.submit(`${path}/notes`, { note: `By Luis ${secret}`, key: 'l' })
  const [, note = ''] = /name="note" value="(note_\w+)"/.exec((await luis.get(path)).text) ?? []
  const isShown = async (visitor: typeof ana) => (await visitor.get(path)).text.includes(secret)
  const toTools = async () =>
    (await f.call(keys.owner, 'get_inbox_message', { lovedOneId, messageId })).text.includes(secret)
  t.true(await toTools())

  t.is((await luis.submit(`${path}/notes/delete`, { note })).status, 303)
  t.deepEqual([await isShown(luis), await isShown(ana), await isShown(viewer)], [true, true, false])
  t.true((await luis.get(path)).text.includes('1 deleted note'))
  t.false(await toTools())
  const stranger = await signIn(f, sink, (await f.another()).people.owner)
  for (const visitor of [viewer, stranger]) {
    await visitor.submit(`${path}/notes/restore`, { note })
    t.false(await isShown(viewer), 'nobody else puts it back')
  }
  for (let again = 0; again < 2; again += 1) t.is((await ana.submit(`${path}/notes/restore`, { note })).status, 303)
  t.deepEqual([await isShown(viewer), await toTools()], [true, true])
  t.false((await ana.get(path)).text.includes('deleted note'))

  await ana.submit(`${path}/notes/delete`, { note })
  await using mongo = await openDatabase(f.stack, 'inbox')
  const deleted = mongo.db().collection<{ _id: string; purgeAt: Date; deletedAt: Date }>('deleted_notes')
  const row = await deleted.findOne({ _id: note })
  t.is(Number(row?.purgeAt) - Number(row?.deletedAt), 30 * 86_400_000)
  const indexes = await deleted.indexes()
  t.true(indexes.some(({ key, expireAfterSeconds }) => 'purgeAt' in key && expireAfterSeconds === 0))
})

test('of two people who delete a note and put it back at the same moments, none loses it', async (t) => {
  const { f, sink } = t.context
  const { family, people, path, secret } = await newScene(f, { others: ['coordinator'] })
  const [ana, luis] = [await signIn(f, sink, people.owner), await signIn(f, sink, people.coordinator)]
  await luis.submit(`${path}/notes`, { note: `By Luis ${secret}`, key: 'l' })
  const [, note = ''] = /name="note" value="(note_\w+)"/.exec((await luis.get(path)).text) ?? []
  await using mongo = await openDatabase(f.stack, 'inbox')
  const { workspaceId } = family
  const counts = () =>
    Promise.all(['notes', 'deleted_notes'].map((name) => mongo.db().collection(name).countDocuments({ workspaceId })))
  for (let round = 0; round < 12; round += 1) {
    const press = (form: string) => [ana, luis].map((one) => one.submit(`${path}/notes/${form}`, { note }))
    await Promise.all([...press('restore'), ...press('delete'), ...press('restore')])
    t.is(
      (await counts()).reduce((all, one) => all + one),
      1,
      `round ${round}`,
    )
  }
  t.is((await ana.submit(`${path}/notes/restore`, { note })).status, 303)
  t.deepEqual(await counts(), [1, 0])
  t.true((await luis.get(path)).text.includes(secret))
})

onScreen('on a phone, someone takes a message, writes a note and is done with it', async (t) => {
  const { f, sink, browser } = t.context
  const { people, subject, secret } = await newScene(f, { withMail: true, others: ['coordinator'] })
  const { cookie } = await signIn(f, sink, people.coordinator)
  const phone = { viewport: { width: 360, height: 740 }, javaScriptEnabled: false }
  await using context = await openWith(f, browser, cookie, phone)
  const page = await context.newPage()
  await page.goto(f.stack.inboxUrl)
  const tab = (name: RegExp) => page.getByRole('navigation', { name: 'Show' }).getByRole('link', { name })
  const open = Number(/\d+/.exec((await tab(/^Open/).textContent()) ?? '')?.[0])
  await tab(/^Open/).click()
  const rows = page.locator('.mail')
  t.is(await rows.count(), open)
  t.true(((await rows.nth(3).boundingBox())?.y ?? 999) < 740 - 90, 'four messages on the first screen')
  t.is(await page.evaluate('document.documentElement.scrollWidth'), 360)
  await rows.filter({ hasText: subject }).getByRole('link').click()
  await page.getByRole('button', { name: 'I’ll take this' }).click()
  await page.getByText('You’re on it now').waitFor()
  t.true(await page.getByText('You’re on it', { exact: true }).isVisible())
  await page.getByText('Add a note').click()
  await page.getByLabel('Your note').fill(`Called them ${secret}`)
  await page.getByRole('button', { name: 'Add note' }).click()
  await page.locator('.note', { hasText: secret }).waitFor()
  await page.getByText('Remind us').click()
  await page.getByRole('button', { name: 'Set reminder' }).click()
  await page.getByText('only if nobody has answered').first().waitFor()
  t.is(await page.evaluate('document.documentElement.scrollWidth'), 360)
  await page.getByRole('link', { name: 'Back to inbox' }).click()
  t.true((await rows.filter({ hasText: subject }).textContent())?.includes('you’re on it'))
  await tab(/^Mine/).click()
  t.is(await rows.count(), 1)
  await rows.getByRole('link').click()
  await page.getByRole('button', { name: 'Done', exact: true }).click()
  await page.getByText('Marked as done for everyone').waitFor()
  await page.getByRole('link', { name: 'Back to inbox' }).click()
  t.is(await rows.count(), 0)
  t.true(await page.getByText('You have no messages').isVisible())
  await tab(/^Done/).click()
  t.is(await rows.count(), 1)
})
