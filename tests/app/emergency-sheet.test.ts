import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { openDatabase } from '../_database.ts'
import { type Guest, send } from '../_family.ts'
import { violationsOf } from '../site/_axe.ts'
import { openAs, openSharedScenes, signIn, Visitor } from './_app.ts'

const { test, onScreen } = openSharedScenes()

const PHONE = { viewport: { width: 360, height: 740 }, isMobile: true, hasTouch: true }
const DESK = { viewport: { width: 1280, height: 900 } }
const FORM = {
  typed: 'yes',
  version: '0',
  conditions: 'Heart failure',
  allergies: 'Penicillin',
  medication: 'Bisoprolol 2.5 mg',
  doctors: '',
  insurance: '',
  contacts: 'Ana, +351 91 555 01 42',
  wishes: '',
}

const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click()
const follow = (page: Page, name: string | RegExp) => page.getByRole('link', { name }).click()
const wordsOf = async (page: Page) => ((await page.locator('main').textContent()) ?? '').replaceAll(/\s+/g, ' ')

/** A family whose sheet is written. */
async function newScene(f: Guest, sink: Parameters<typeof signIn>[1]) {
  const { people, lovedOnes, workspaceId } = await f.another()
  const lovedOneId = lovedOnes[0]?.id ?? ''
  const path = `/emergency-sheets/${lovedOneId}`
  const owner = await signIn(f, sink, people.owner)
  const saved = await owner.submit(`${path}/change`, FORM)
  if (saved.status !== 303) throw new Error(saved.text)
  return { people, lovedOneId, workspaceId, path, owner }
}

/** Creates a link as its owner does. */
async function newLink(owner: Visitor, path: string, hours = '24') {
  const created = await owner.submit(`${path}/links`, { hours, request: `${Math.random()}` })
  const { text } = await owner.get(String(created.headers.location))
  const [, token = ''] = /\/emergency\/([0-9a-z]{32})</.exec(text) ?? []
  const [, code = ''] = /id="code"><bdi>(\d{3} \d{3})</.exec(text) ?? []
  return { address: `/emergency/${token}`, token, code }
}

for (const [screen, options] of Object.entries({ phone: PHONE, desk: DESK }))
  onScreen(`on a ${screen}, a coordinator fills in the sheet with the keyboard, and a viewer reads it`, async (t) => {
    const { f, sink, browser } = t.context
    const { people } = await f.another()
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
    t.true(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'))

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
  const { people, path } = await newScene(f, sink)
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
  const { people, path, lovedOneId } = await newScene(f, sink)
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
  const { people, path, owner } = await newScene(f, sink)
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
  const { people, path, owner } = await newScene(f, sink)
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

onScreen('the owner opens the sheet for a ward, sees that it was opened, and revokes the link', async (t) => {
  const { f, sink, browser } = t.context
  const { people, path } = await newScene(f, sink)
  await using context = await openAs(f, sink, browser, people.owner, PHONE)
  const page = await context.newPage()
  await page.goto(`${f.stack.inboxUrl}${path}`)
  await follow(page, 'Links to this sheet')
  await page.getByLabel('7 days').check()
  await press(page, 'Create link')
  await page.locator('#code').waitFor()
  const address = (await page.locator('#address').textContent()) ?? ''
  const code = (await page.locator('#code').textContent()) ?? ''
  t.deepEqual(await violationsOf(page, 'light'), [])

  await using ward = await browser.newContext(DESK)
  const nurse = await ward.newPage()
  const referrers: (string | undefined)[] = []
  nurse.on('request', (request) => referrers.push(request.headers().referer))
  await nurse.goto(address)
  t.false((await nurse.content()).includes('Rosa'), 'the address alone shows nothing')
  await nurse.keyboard.type('000 000')
  await nurse.keyboard.press('Enter')
  await nurse.getByRole('alert').waitFor()
  t.true((await wordsOf(nurse)).includes('This address and code don’t open a sheet'))
  t.deepEqual(await violationsOf(nurse, 'light'), [])
  await nurse.getByLabel('Code').fill(code)
  await press(nurse, 'Open')
  await nurse.getByText('Emergency sheet for Rosa Almeida').waitFor()
  t.true((await wordsOf(nurse)).includes('Allergies Penicillin'))
  t.is(await nurse.getByRole('link', { name: 'Timeline' }).count(), 0)
  t.deepEqual(await violationsOf(nurse, 'light'), [])
  t.false(referrers.some(Boolean), 'no request says where it came from')
  await follow(nurse, 'Privacy')
  t.is(await nurse.evaluate('document.referrer'), '')

  await follow(page, 'Done')
  t.regex(await wordsOf(page), /Works until .* opened once today/)
  t.false((await page.content()).includes(address), 'the address is shown once')
  await page.goto(`${f.stack.inboxUrl}${path}/links/created`)
  t.false((await page.content()).includes(address), 'also after Back')
  await page.getByRole('button', { name: /^Revoke/ }).click()
  await page.locator('.done').waitFor()
  t.true((await wordsOf(page)).includes('Revoked Created today'))
  await nurse.goto(address)
  await nurse.getByLabel('Code').fill(code)
  await press(nurse, 'Open')
  t.true((await wordsOf(nurse)).includes('This address and code don’t open a sheet'))
})

test('unknown, expired, revoked and locked links answer with one page, which is in no cache, index or referrer', async (t) => {
  const { f, sink } = t.context
  const { owner, path, workspaceId } = await newScene(f, sink)
  const [expired, revoked, locked] = [
    await newLink(owner, path),
    await newLink(owner, path),
    await newLink(owner, path),
  ]
  await using mongo = await openDatabase(f.stack, 'care-circle')
  const links = mongo.db().collection('emergency_links')
  const ids = (await links.find({ workspaceId }).sort({ createdAt: 1 }).toArray()).map(({ _id }) => String(_id))
  await links.updateOne({ _id: ids[0] as never }, { $set: { expiresAt: new Date(Date.now() - 1000) } })
  t.is((await owner.submit(`${path}/revoke`, { link: ids[1] ?? '' })).status, 303)
  const stranger = new Visitor(f)
  const wrong = locked.code === '111 111' ? '222222' : '111111'
  for (let tries = 0; tries < 5; tries += 1) await stranger.submit(locked.address, { code: wrong })
  const unknown = { address: `/emergency/${'0'.repeat(32)}`, token: '0'.repeat(32), code: '123456' }
  const pages: string[] = []
  for (const { address, token, code } of [unknown, expired, revoked, locked]) {
    const [form, answer] = [await stranger.get(address), await stranger.submit(address, { code })]
    t.is(form.status, 200)
    t.is(answer.status, 404)
    for (const { headers } of [form, answer]) {
      t.is(headers['cache-control'], 'no-store')
      t.is(headers['referrer-policy'], 'no-referrer')
      t.is(headers['x-robots-tag'], 'noindex')
      t.is(headers['set-cookie'], undefined)
    }
    pages.push(`${form.text}${answer.text}`.replaceAll(token, 'TOKEN'))
  }
  t.is(new Set(pages).size, 1)
})

test('a browser that sends no origin opens a link, and its address is in no log', async (t) => {
  const { f, sink } = t.context
  const { owner, path } = await newScene(f, sink)
  const { address, token, code } = await newLink(owner, path)
  const headers = { origin: 'null', accept: 'text/html', 'content-type': 'application/x-www-form-urlencoded' }
  const opened = await send(`${f.stack.inboxUrl}${address}`, {
    method: 'POST',
    headers,
    body: new URLSearchParams({ code }).toString(),
  })
  t.is(opened.status, 200)
  t.true(opened.text.includes('Penicillin'))
  t.is(opened.headers['cache-control'], 'no-store')
  const odd = await send(`${f.stack.inboxUrl}${address}`, { method: 'PUT', headers })
  t.is(odd.status, 405)
  t.is(odd.headers['referrer-policy'], 'no-referrer')
  const folder = join(f.stack.dataDir, 'logs')
  for (const name of await readdir(folder)) t.false((await readFile(join(folder, name), 'utf8')).includes(token), name)
})

test('what was written is still there when the session ended; another family and viewers change nothing', async (t) => {
  const { f, sink } = t.context
  const { people, path } = await newScene(f, sink)
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
