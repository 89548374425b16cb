import type { OtherMember } from '@family-inbox/ops/demo-seed'
import { randomText } from '@family-inbox/service-kit/ids/ids'
import type { Page } from 'playwright-core'
import type { Guest } from '../_family.ts'
import { openMailer } from '../_mailer.ts'
import type { FamilyOptions } from '../_shared-stack.ts'
import { readUntil } from '../_wait.ts'
import { createFeed, readFeed, unfold } from '../appointments/_calendar.ts'
import { plainMail } from '../inbox/_smtp-client.ts'
import { attachment, multipartMail, text } from '../mail-corpus/build-mail.ts'
import { openAs, openSharedScenes, signIn, type Visitor } from './_app.ts'
import { PHONE } from './_count-actions.ts'

const { test, onScreen } = openSharedScenes()

/** Adds one as a person does. @returns its path */
async function addToDo(visitor: Visitor, words: Record<string, string>): Promise<string> {
  const form = { for: '', day: '', who: '', request: randomText(8), ...words }
  const { status, headers } = await visitor.submit('/to-dos/new', form)
  if (status !== 303) throw new Error(`${status}`)
  return String(headers.location)
}

/** A new family with a letter. */
async function withLetter<Other extends OtherMember = never>(
  f: Guest,
  { parts = [], ...options }: FamilyOptions<Other> & { parts?: Buffer[] } = {},
) {
  const family = await f.another(options)
  const [rosa] = family.lovedOnes
  const subject = `Prescription ${randomText(8)}`
  const plain = plainMail(subject)
  const raw = parts.length === 0 ? plain : multipartMail({ Subject: subject }, 'mixed', [text('See below.'), ...parts])
  await openMailer(f.stack).deliver(rosa?.inboxAddress ?? '', raw)
  const list = await f.call(family.keys.owner, 'list_inbox_messages', { lovedOneId: rosa?.id })
  const [message] = list.json.result.structuredContent.messages as { id: string }[]
  return { ...family, subject, path: `/inbox/${rosa?.id}/${message?.id}` }
}

const SIZES = { 'a phone': PHONE, 'a desk': { viewport: { width: 1280, height: 800 } } }

for (const [name, size] of Object.entries(SIZES))
  onScreen(`on ${name}, a to-do is added, taken and done where it is shown, and undone`, async (t) => {
    const { f, sink, browser } = t.context
    const { people } = await f.another()
    await using context = await openAs(f, sink, browser, people.owner, size)
    const page = await context.newPage()
    const start = name === 'a phone' ? '/inbox/next' : '/'
    await page.goto(`${f.stack.inboxUrl}${start}`)
    await untilLoaded(page)
    await page.getByText('Nothing to do.').waitFor()
    await page.getByRole('link', { name: 'Add a to-do' }).click()
    await page.getByLabel('What').fill('Pick up the prescription')
    await page.getByRole('button', { name: 'Add a to-do' }).click()
    await page.getByText('Added. Everyone in the care circle sees it.').waitFor()
    t.is(await page.locator('h1').textContent(), 'Pick up the prescription')

    await page.goto(`${f.stack.inboxUrl}${start}`)
    const row = page.locator('.to-do')
    await untilLoaded(page)
    await row.getByRole('button', { name: 'I’ll take this' }).click()
    await page.getByText('You’re on it now. Your family sees that.').waitFor()
    t.is(new URL(page.url()).pathname, start, 'the reader stays where they are')
    await untilLoaded(page)
    t.regex((await row.textContent()) ?? '', /You’re on it/)
    await row.getByRole('button', { name: 'Done' }).click()
    await page.getByText('Marked as done for everyone.').waitFor()
    t.is(await row.count(), 0)
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByText('Open again for everyone.').waitFor()
    await untilLoaded(page)
    t.is(await row.count(), 1)

    await row.getByRole('link').click()
    await page.getByText('More actions').click()
    await page.getByRole('button', { name: 'Remove' }).click()
    await page.getByText('Removed. It can be put back for 30 days.').waitFor()
    await page.getByRole('button', { name: 'Put back' }).click()
    await page.getByText('The to-do is back.').waitFor()
    t.false(await isWiderThanScreen(page))
  })

/** On a busy machine, the page may come without its to-dos. */
async function untilLoaded(page: Page): Promise<void> {
  while ((await page.getByText('We can’t load what your family has to do').count()) > 0) await page.reload()
}

const isWiderThanScreen = (page: Page) =>
  page.evaluate('document.documentElement.scrollWidth > document.documentElement.clientWidth')

onScreen('with a keyboard only, a to-do of a message is added, given to somebody and done', async (t) => {
  const { f, sink, browser } = t.context
  const { people, path, subject } = await withLetter(f, { others: ['coordinator'] })
  await using context = await openAs(f, sink, browser, people.owner, SIZES['a desk'])
  const page = await context.newPage()
  await page.goto(`${f.stack.inboxUrl}${path}`)
  const press = async (target: ReturnType<Page['locator']>, key = 'Enter') => {
    await target.focus()
    await page.keyboard.press(key)
  }
  await press(page.locator('.more-acts > summary'))
  await press(page.locator('.more-acts').getByRole('link', { name: 'Add a to-do' }))
  await page.getByLabel('What').waitFor()
  t.is(await page.getByLabel('What').inputValue(), subject)
  await page.getByLabel('What').focus()
  await page.keyboard.press('Enter')
  await page.getByRole('link', { name: 'Open the message' }).waitFor()

  await press(page.locator('.more-acts > summary'))
  await press(page.getByText('Give to …'))
  await page.locator('#assignee').focus()
  await page.keyboard.type('Luis')
  await press(page.getByRole('button', { name: 'Give', exact: true }))
  await page.getByText('Given to them. Your family sees that.').waitFor()
  t.regex((await page.locator('.status-word').textContent()) ?? '', /Luis.* is on it/)
  await press(page.getByRole('button', { name: 'Done', exact: true }))
  await page.getByText('Marked as done for everyone.').waitFor()
  await press(page.getByRole('link', { name: 'Open the message' }))
  await page.locator('h1', { hasText: subject }).waitFor()
})

test('a note fills in the form, and the to-do leads to its message', async (t) => {
  const { f, sink } = t.context
  const { people, path } = await withLetter(f)
  const ana = await signIn(f, sink, people.owner)
  await ana.submit(`${path}/notes`, { note: 'Ask for\nthe large pack', key: 'k' })
  const link = /href="(\/to-dos\/new[^"]+note=[^"]+)"/.exec((await ana.get(path)).text)?.[1] ?? ''
  const form = (await ana.get(link.replaceAll('&#38;', '&'))).text
  t.regex(form, /value="Ask for the large pack"/)
  t.true(form.includes(`href="${path}"`))
  const gone = await ana.get(`/to-dos/new?for=${path.split('/')[2]}&message=msg_nothing`)
  t.is(gone.status, 200)
  t.notRegex(gone.text, /It will lead to/)
})

test('a task in a calendar file of a mail is offered until it is a to-do, and fills in the form', async (t) => {
  const { f, sink } = t.context
  const task = (summary: string, ...more: string[]) => ['BEGIN:VTODO', `SUMMARY:${summary}`, ...more, 'END:VTODO']
  const tasks = [
    ...task('Fast before the blood test', 'DUE;VALUE=DATE:20300512'),
    ...task('Over', 'STATUS:COMPLETED'),
    ...task('Bring the card'),
  ]
  const calendar = ['BEGIN:VCALENDAR', ...tasks, 'END:VCALENDAR'].join('\r\n')
  const { people, path } = await withLetter(f, {
    parts: [attachment('tasks.ics', 'text/calendar', Buffer.from(calendar))],
    others: ['viewer'],
  })
  const ana = await signIn(f, sink, people.owner)
  const { text: page } = await readUntil(
    () => ana.get(path),
    (answer) => answer.text.includes('Fast before the blood test'),
  )
  t.regex(page, /Fast before the blood test<\/bdi>, by [^<]*2030/)
  t.true(page.includes('Bring the card') && !page.includes('<bdi>Over'))
  const links = [...page.matchAll(/href="(\/to-dos\/new[^"]+task=[^"]+)"/g)].map(([, href = '']) =>
    href.replaceAll('&#38;', '&'),
  )
  t.is(links.length, 2)
  const form = await ana.get(links[0] ?? '')
  t.regex(form.text, /value="Fast before the blood test"/)
  t.regex(form.text, /value="2030-05-12"/)
  t.regex((await ana.get(links[1] ?? '')).text, /value="Bring the card"/)
  const field = (name: string) => new RegExp(`name="${name}" value="([^"]*)"`).exec(form.text)?.[1] ?? ''
  const about = { message: field('message'), about: field('about') }
  const toDo = await addToDo(ana, { text: 'Fast before the blood test', day: '2030-05-12', ...about })
  const isAdded = `On your to-do list: <a href="${toDo}"><bdi>Fast before the blood test</bdi></a>`
  const untilAdded = (isRight: boolean) =>
    readUntil(
      () => ana.get(path),
      ({ text }) => text.includes(isAdded) === isRight && text.includes('task='),
    )
  const offered = ({ text }: { text: string }) => text.match(/task=[\d-]+/g)?.length
  t.is(offered(await untilAdded(true)), 1)
  t.is((await ana.submit(`${toDo}/status`, { act: 'done' })).status, 303)
  t.is(offered(await untilAdded(true)), 1, 'also when it is done')
  await ana.submit(`${toDo}/remove`, {})
  t.is(offered(await untilAdded(false)), 2, 'it is offered again after it was removed')
  const viewer = await signIn(f, sink, people.viewer)
  t.false((await viewer.get(path)).text.includes('task='))
})

test('of two people at the same to-do one wins, and the other sees the new state and keeps what they typed', async (t) => {
  const { f, sink } = t.context
  const { people } = await f.another({ others: ['coordinator'] })
  const [ana, luis] = [await signIn(f, sink, people.owner), await signIn(f, sink, people.coordinator)]
  const path = await addToDo(ana, { text: 'Order new glasses' })
  t.is((await luis.submit(`${path}/status`, { act: 'take' })).status, 303)
  const late = await ana.submit(`${path}/status`, { act: 'take' })
  t.is(late.headers.location, path)
  const seen = await ana.get(path)
  t.regex(seen.text, /Someone else changed this first\./)
  t.regex(seen.text, /Luis[^<]*<\/bdi> is on it/)

  const changed = { text: 'Order new glasses and a case', for: '', day: '', version: '1' }
  t.is((await luis.submit(`${path}/change`, changed)).status, 303)
  const refused = await ana.submit(`${path}/change`, { ...changed, text: 'Order two pairs' })
  t.is(refused.status, 422)
  t.regex(refused.text, /Somebody else has just changed this to-do/)
  t.regex(refused.text, /value="Order two pairs"/)
  t.regex((await ana.get(path)).text, /<h1><bdi>Order new glasses and a case/)
})

test('viewers see to-dos without buttons, and another household finds none', async (t) => {
  const { f, sink } = t.context
  const { people } = await f.another({ others: ['viewer'] })
  const ana = await signIn(f, sink, people.owner)
  const path = await addToDo(ana, { text: 'Water the plants' })
  const viewer = await signIn(f, sink, people.viewer)
  for (const page of ['/to-dos', '/inbox/next', '/', path]) {
    const { text } = await readUntil(
      () => viewer.get(page),
      (answer) => answer.text.includes('Water the plants'),
    )
    t.notRegex(text, /\/to-dos\/(new|[^"]+\/(status|remove|change))/, page)
  }
  t.is((await viewer.submit(`${path}/status`, { act: 'take' })).status, 403)
  t.is((await viewer.get('/to-dos/new')).status, 403)
  const stranger = await signIn(f, sink, (await f.another()).people.owner)
  t.is((await stranger.get(path)).status, 404)
  for (const [form, fields] of [
    ['status', { act: 'done' }],
    ['remove', {}],
    ['restore', {}],
  ] as const)
    t.is((await stranger.submit(`${path}/${form}`, fields)).status, 404, form)
  t.notRegex((await stranger.get('/to-dos')).text, /Water the plants/)
})

test('calendar programs get open to-dos with a day, as whole days, until they are done', async (t) => {
  const { f, sink } = t.context
  const { people, lovedOnes } = await f.another()
  const ana = await signIn(f, sink, people.owner)
  const [rosa, jorge] = lovedOnes
  const path = await addToDo(ana, { text: 'Pick up the prescription', for: rosa?.id ?? '', day: '2026-05-31' })
  await addToDo(ana, { text: 'Some day' })
  await addToDo(ana, { text: 'For all', day: '2026-06-02' })
  const all = await createFeed(ana)
  const read = async (feed: string) => unfold((await readFeed(f, feed)).text)
  const text = await read(all)
  t.regex(text, /DTSTART;VALUE=DATE:20260531\r\nDTEND;VALUE=DATE:20260601\r\n/)
  t.regex(text, /SUMMARY:To do: Pick up the prescription \(Rosa/)
  t.true(text.includes(`URL:${f.stack.inboxUrl}${path}`))
  t.true(text.includes('SUMMARY:To do: For all\r\n') && !text.includes('Some day'))
  const timesOnly = await read(await createFeed(ana, { for: rosa?.id ?? '', details: 'no' }))
  t.regex(timesOnly, /SUMMARY:To-do for Rosa/)
  t.notRegex(timesOnly, /prescription|For all|\/to-dos\//)
  t.notRegex(await read(await createFeed(ana, { for: jorge?.id ?? '' })), /To do/)
  await ana.submit(`${path}/status`, { act: 'done' })
  t.notRegex(await read(all), /prescription/)
})
