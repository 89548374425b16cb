import type { Page } from 'playwright-core'
import { openDatabase } from '../_database.ts'
import type { Answer } from '../_family.ts'
import { violationsOf } from '../site/_axe.ts'
import { openAs, openSharedScenes, signIn, Visitor } from './_app.ts'
import { DESK, FORM, newScene, PHONE, SCREENS, widthOf, wordsOf } from './_emergency-sheet.ts'

const { test, onScreen } = openSharedScenes()

const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click()
const CHECKED_BY = /Last checked by <bdi>([^<]+)</

const landedAt = ({ headers }: Answer) => headers.location
const follow = (page: Page, name: string | RegExp) => page.getByRole('link', { name }).click()

for (const [screen, options] of SCREENS)
  onScreen(`on a ${screen}, a coordinator fills in the sheet with the keyboard, and a viewer reads it`, async (t) => {
    const { f, sink, browser } = t.context
    const { people } = await f.another({ others: ['coordinator', 'viewer'] })
    await using coordinator = await openAs(f, sink, browser, people.coordinator, options)
    const page = await coordinator.newPage()
    await page.goto(`${f.stack.inboxUrl}/care-circle`)
    await follow(page, 'Rosa Almeida')
    await follow(page, 'See the emergency sheet')
    t.true((await wordsOf(page)).includes('Nothing written yet'))
    await page.getByRole('link', { name: 'Fill in' }).focus()
    await page.keyboard.press('Enter')
    await page.getByLabel('Conditions').focus()
    for (const text of ['Heart failure', 'Penicillin', 'Bisoprolol', 'Dr. Weber', 'Card 12', 'Ana', 'Portuguese']) {
      await page.keyboard.type(text)
      await page.keyboard.press('Tab')
    }
    await page.keyboard.press('Enter')
    await page.locator('.done').waitFor()
    const words = await wordsOf(page)
    t.regex(words, /Last checked by Luis Almeida on [\w ,]+ \d{4} Conditions Heart failure Allergies Penicillin/)
    t.deepEqual(await violationsOf(page, 'light'), [])
    t.is(await widthOf(page), options.viewport.width)

    await using viewer = await openAs(f, sink, browser, people.viewer, options)
    const theirs = await viewer.newPage()
    await theirs.goto(page.url())
    t.true((await wordsOf(theirs)).includes('Wishes Portuguese'))
    t.is(await theirs.getByRole('link', { name: 'Change' }).count(), 0)
    t.is(await theirs.getByRole('button', { name: /Checked/ }).count(), 0)
    t.is(await theirs.getByRole('link', { name: 'Links to this sheet' }).count(), 0)
    await theirs.goto(`${page.url()}/change`)
    t.true((await wordsOf(theirs)).includes('Viewers can read but not make changes'))
  })

onScreen('two people change the sheet at once: the later one sees both texts, and nothing is lost', async (t) => {
  const { f, sink, browser } = t.context
  const { people, path } = await newScene(f, sink, 'coordinator')
  await using first = await openAs(f, sink, browser, people.owner, { javaScriptEnabled: false })
  await using second = await openAs(f, sink, browser, people.coordinator, { javaScriptEnabled: false })
  const [ana, luis] = [await first.newPage(), await second.newPage()]
  for (const page of [ana, luis]) await page.goto(`${f.stack.inboxUrl}${path}/change`)
  await ana.getByLabel('Allergies').fill('Penicillin and latex')
  await ana.getByLabel('Doctors').fill('Dr. Weber')
  await press(ana, 'Save')
  await luis.getByLabel('Allergies').fill('Penicillin and nuts')
  await luis.getByLabel('Wishes').fill('Speaks Portuguese')
  await press(luis, 'Save')
  t.regex(await luis.title(), /^Error: /)
  t.true((await wordsOf(luis)).includes('Ana Almeida saved this sheet while you were writing'))
  t.is(await luis.getByLabel('Allergies').inputValue(), 'Penicillin and nuts', 'what they typed')
  t.is(await luis.locator('.newer .kept').textContent(), 'Penicillin and latex', 'beside what was saved')
  t.is(await luis.getByLabel('Doctors').inputValue(), 'Dr. Weber', 'what only the other one changed')
  await luis.getByLabel('Allergies').fill('Penicillin, latex, and nuts')
  await press(luis, 'Save')
  const words = await wordsOf(luis)
  for (const text of ['Penicillin, latex, and nuts', 'Dr. Weber', 'Speaks Portuguese'])
    t.true(words.includes(text), text)
})

onScreen('a sheet is checked with one button, which throws away nothing that was typed', async (t) => {
  const { f, sink, browser } = t.context
  const { people, path, lovedOneId } = await newScene(f, sink, 'coordinator')
  await using mongo = await openDatabase(f.stack, 'care-circle')
  const sheets = mongo.db().collection<{ _id: string }>('emergency_sheets')
  const longAgo = () => sheets.updateOne({ _id: lovedOneId }, { $set: { checkedAt: new Date('2026-05-03T12:00:00Z') } })
  await using context = await openAs(f, sink, browser, people.coordinator, { locale: 'en-GB' })
  const page = await context.newPage()
  await longAgo()
  await page.goto(`${f.stack.inboxUrl}${path}`)
  t.true((await wordsOf(page)).includes('Last checked by Ana Almeida on 3 May 2026'))
  await press(page, 'Checked today, nothing changed')
  await page.locator('.done').waitFor()
  t.true((await wordsOf(page)).includes('Last checked by Luis Almeida on '))
  t.false((await wordsOf(page)).includes('3 May 2026'))

  await longAgo()
  await page.goto(`${f.stack.inboxUrl}${path}/change`)
  await page.getByLabel('Insurance').fill('Card 12')
  await press(page, 'Checked today, nothing changed')
  t.true((await wordsOf(page)).includes('You changed something here. Choose “Save” to keep it.'))
  t.is(await page.getByLabel('Insurance').inputValue(), 'Card 12')
  await press(page, 'Save')
  t.true((await wordsOf(page)).includes('Insurance Card 12'))
  await page.goto(`${f.stack.inboxUrl}${path}/change`)
  await press(page, 'Checked today, nothing changed')
  t.true((await wordsOf(page)).includes('The sheet shows that you checked it today.'))
})

test('two members check a sheet at once: both see that they did, and it names one of them', async (t) => {
  const { f, sink } = t.context
  const { people, path, owner } = await newScene(f, sink, 'coordinator')
  const coordinator = await signIn(f, sink, people.coordinator)
  const answers = await Promise.all([owner, coordinator].map((one) => one.submit(`${path}/check`, { version: '1' })))
  t.deepEqual(answers.map(landedAt), [path, path])
  const [ana, luis] = [await owner.get(path), await coordinator.get(path)]
  for (const { text } of [ana, luis]) t.true(text.includes('The sheet shows that you checked it today.'))
  t.regex(ana.text, CHECKED_BY)
  t.is(CHECKED_BY.exec(ana.text)?.[1], CHECKED_BY.exec(luis.text)?.[1])
})

test('nobody is named as having checked a text that somebody saved while they did', async (t) => {
  const { f, sink } = t.context
  const { people, path, owner } = await newScene(f, sink, 'coordinator')
  const coordinator = await signIn(f, sink, people.coordinator)
  for (const version of ['1', '2', '3', '4']) {
    const save = () => owner.submit(`${path}/change`, { ...FORM, version, wishes: `Wish ${version}` })
    const check = () => coordinator.submit(`${path}/check`, { version })
    const sent = Number(version) % 2 === 0 ? [save(), check()] : [check(), save()]
    t.deepEqual((await Promise.all(sent)).map(landedAt), [path, path])
    const { text } = await coordinator.get(path)
    t.true(text.includes(`Wish ${version}`))
    t.is(CHECKED_BY.exec(text)?.[1], 'Ana Almeida')
    t.regex(text, /The sheet shows that you checked it today\.|Someone else changed this first\./)
  }
})

onScreen('a sheet prints on one page, without menus and buttons', async (t) => {
  const { f, sink, browser } = t.context
  const { people, path, owner } = await newScene(f, sink)
  const lines = (count: number) => Array.from({ length: count }, (_, n) => `Line ${n + 1} of a usual length`).join('\n')
  const filled = ['conditions', 'medication', 'doctors', 'contacts', 'wishes'].map((name) => [name, lines(12)])
  const saved = await owner.submit(`${path}/change`, { ...FORM, version: '1', ...Object.fromEntries(filled) })
  t.is(saved.status, 303)
  await using context = await openAs(f, sink, browser, people.owner)
  const page = await context.newPage()
  await page.goto(`${f.stack.inboxUrl}${path}`)
  const paper = (await page.pdf({ format: 'A4', preferCSSPageSize: true })).toString('latin1')
  t.is(paper.match(/\/Type \/Page\b/g)?.length, 1)
  await page.emulateMedia({ media: 'print' })
  for (const hidden of ['.main-nav', '.foot', 'a.button', 'button', '.up', '#links'])
    t.is(await page.locator(`${hidden}:visible`).count(), 0, hidden)
  t.true(await page.getByText('Last checked by').isVisible())
  await page.emulateMedia({ media: 'screen' })
  await page.evaluate('window.print = () => { document.title = "printed" }')
  await press(page, 'Print')
  t.is(await page.title(), 'printed')
})

onScreen('a phone that opened a sheet shows it offline, and nothing else, until its person signs out', async (t) => {
  const { f, sink, browser } = t.context
  const { people, path, owner } = await newScene(f, sink, 'viewer')
  await using context = await openAs(f, sink, browser, people.viewer, PHONE)
  const page = await context.newPage()
  const sheet = `${f.stack.inboxUrl}${path}`
  const kept = page.getByText('This phone keeps this page until you sign out')
  await page.goto(sheet)
  await kept.waitFor()
  await owner.submit(`${path}/change`, { ...FORM, version: '1', wishes: 'Speaks Portuguese' })
  await page.goto(sheet)
  await kept.waitFor()

  await context.setOffline(true)
  await page.goto(sheet)
  t.true((await wordsOf(page)).includes('Wishes Speaks Portuguese'), 'as it was opened last')
  t.true((await wordsOf(page)).includes('You’re offline. This page may be out of date.'))
  t.true(await kept.isVisible())
  await t.throwsAsync(page.goto(`${f.stack.inboxUrl}/care-circle`))
  await t.throwsAsync(page.goto(`${sheet}/change`))

  await context.setOffline(false)
  await page.goto(sheet)
  await kept.waitFor()
  await press(page, 'Sign out')
  await page.getByText('You are signed out').first().waitFor()
  t.deepEqual(await page.evaluate('caches.keys()'), [])
  await context.setOffline(true)
  await t.throwsAsync(page.goto(sheet))
})

onScreen('a desk keeps no sheet, and a phone forgets it when its person is no longer in the family', async (t) => {
  const { f, sink, browser } = t.context
  const { people, path, owner } = await newScene(f, sink, 'viewer')
  const sheet = `${f.stack.inboxUrl}${path}`
  await using desk = await openAs(f, sink, browser, people.viewer, DESK)
  const wide = await desk.newPage()
  await wide.goto(sheet)
  t.deepEqual(await wide.evaluate('caches.keys()'), [])

  await using phone = await openAs(f, sink, browser, people.viewer, PHONE)
  const page = await phone.newPage()
  await page.goto(sheet)
  await page.getByText('This phone keeps this page').waitFor()
  const circle = await owner.get('/care-circle')
  const [, id = ''] = /\/care-circle\/people\/(per_[0-9a-z]+)"[^>]*>(?:(?!<\/a>).)*Marta/s.exec(circle.text) ?? []
  t.is((await owner.submit(`/care-circle/people/${id}/remove`, { confirm: 'yes' })).status, 303)
  await page.goto(sheet)
  t.deepEqual(await page.evaluate('caches.keys()'), [])
})

test('what was written is still there when the session ended; another family and viewers change nothing', async (t) => {
  const { f, sink } = t.context
  const { people, path } = await newScene(f, sink, 'viewer')
  const form = { ...FORM, version: '1', wishes: 'Speaks Portuguese' }
  const kept = await new Visitor(f).submit(`${path}/change`, form)
  t.is(kept.status, 422)
  t.true(kept.text.includes('Your session ended') && kept.text.includes('Speaks Portuguese'))
  t.is((await new Visitor(f).submit(`${path}/check`, { version: '1' })).status, 303)
  const stranger = await signIn(f, sink, (await f.another()).people.owner)
  const viewer = await signIn(f, sink, people.viewer)
  for (const page of ['', '/change', '/links']) t.is((await stranger.get(`${path}${page}`)).status, 404, page)
  for (const [page, fields] of [
    ['/change', form],
    ['/check', { version: '1' }],
    ['/links', { hours: '24', request: 'r' }],
  ] as const) {
    t.is((await stranger.submit(`${path}${page}`, fields)).status, 404, page)
    t.is((await viewer.submit(`${path}${page}`, fields)).status, 403, page)
  }
  t.false((await viewer.get(path)).text.includes('Speaks Portuguese'))
})

test('no tool of an assistant returns what is on a sheet', async (t) => {
  const { f, sink } = t.context
  const family = await f.another()
  const lovedOneId = family.lovedOnes[0]?.id ?? ''
  const owner = await signIn(f, sink, family.people.owner)
  const secret = `zq${Math.random().toString(36).slice(2)}`
  const path = `/emergency-sheets/${lovedOneId}`
  t.is((await owner.submit(`${path}/change`, { ...FORM, wishes: secret })).status, 303)
  t.true((await owner.get(path)).text.includes(secret))
  for (const [tool, args] of [
    ['list_loved_ones', {}],
    ['list_inbox_messages', { lovedOneId }],
    ['list_care_events', { lovedOneId }],
    ['list_family_members', {}],
    ['get_user_profile', {}],
  ] as const)
    t.false((await f.call(family.keys.owner, tool, args)).text.includes(secret), tool)
})
