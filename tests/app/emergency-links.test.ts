import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { openDatabase } from '../_database.ts'
import { send } from '../_family.ts'
import { violationsOf } from '../site/_axe.ts'
import { openAs, openSharedScenes, Visitor } from './_app.ts'
import { newLink, newScene, PHONE, SCREENS, widthOf, wordsOf } from './_emergency-sheet.ts'

const { test, onScreen } = openSharedScenes()

const REFUSED = 'This address and code don’t open a sheet'

for (const [screen, options] of SCREENS)
  onScreen(
    `on a ${screen}, by keyboard, the owner opens the sheet for a ward, sees that it was opened, and revokes the link`,
    async (t) => {
      const { f, sink, browser } = t.context
      const { people, path } = await newScene(f, sink)
      await using context = await openAs(f, sink, browser, people.owner, options)
      const page = await context.newPage()
      const fits = async (shown: typeof page, what: string) =>
        t.is(await widthOf(shown), options.viewport.width, `${what} is as wide as the screen`)
      await page.goto(`${f.stack.inboxUrl}${path}`)
      await page.getByRole('link', { name: 'Links to this sheet' }).press('Enter')
      await page.getByLabel('24 hours').press('ArrowDown')
      t.true(await page.getByLabel('7 days').isChecked())
      await page.getByRole('button', { name: 'Create link' }).press('Enter')
      await page.locator('#code').waitFor()
      await fits(page, 'the new link')
      const address = (await page.locator('#address').textContent()) ?? ''
      const code = (await page.locator('#code').textContent()) ?? ''
      t.deepEqual(await violationsOf(page, 'light'), [])

      await using ward = await browser.newContext(options)
      const nurse = await ward.newPage()
      const referrers: (string | undefined)[] = []
      nurse.on('request', (request) => referrers.push(request.headers().referer))
      await nurse.goto(address)
      t.false((await nurse.content()).includes('Rosa'), 'the address alone shows nothing')
      await fits(nurse, 'the form for the code')
      await nurse.keyboard.type('000 000')
      await nurse.keyboard.press('Enter')
      await nurse.getByRole('alert').waitFor()
      await fits(nurse, 'the answer to a wrong code')
      t.deepEqual(await violationsOf(nurse, 'light'), [])
      await nurse.getByRole('link', { name: REFUSED }).press('Enter')
      await nurse.keyboard.type(code)
      await nurse.keyboard.press('Enter')
      await nurse.getByText('Emergency sheet for Rosa Almeida').waitFor()
      t.true((await wordsOf(nurse)).includes('Allergies Penicillin'))
      await fits(nurse, 'the sheet')
      t.is(await nurse.getByRole('link', { name: 'Timeline' }).count(), 0)
      t.deepEqual(await violationsOf(nurse, 'light'), [])
      t.false(referrers.some(Boolean), 'no request says where it came from')
      await nurse.getByRole('link', { name: 'Privacy' }).press('Enter')
      await nurse.waitForURL('**/privacy')
      t.is(await nurse.evaluate('document.referrer'), '')
      await nurse.goto(address)
      await nurse.keyboard.type(code)

      await page.getByRole('link', { name: 'Done' }).press('Enter')
      await page.getByRole('heading', { name: 'Create a link' }).waitFor()
      t.regex(await wordsOf(page), /Works until .* opened once today/)
      await fits(page, 'the list with a link')
      t.false((await page.content()).includes(address), 'the address is shown once')
      await page.goto(`${f.stack.inboxUrl}${path}/links/created`)
      t.false((await page.content()).includes(address), 'also after Back')
      await page.getByRole('button', { name: /^Revoke/ }).press('Enter')
      await page.locator('.done').waitFor()
      t.true((await wordsOf(page)).includes('Revoked Created today'))
      await fits(page, 'the list with a link that has ended')

      await nurse.keyboard.press('Enter')
      await nurse.getByRole('alert').waitFor()
      t.true((await wordsOf(nurse)).includes(REFUSED))
      t.true((await wordsOf(nurse)).includes('A link ends after its time, when the family revokes it'))
      await fits(nurse, 'the page of a link that has ended')
    },
  )

onScreen('two owners revoke a link at once: it ends, and the later one sees who was faster', async (t) => {
  const { f, sink, browser } = t.context
  const { people, path, owner } = await newScene(f, sink, 'coordinator')
  const { address, code } = await newLink(owner, path)
  const circle = (await owner.get('/care-circle')).text
  const [, luisId = ''] = /people\/(per_\w+)"><strong><bdi>Luis/.exec(circle) ?? []
  t.is((await owner.submit(`/care-circle/people/${luisId}`, { role: 'owner' })).status, 303)
  await using first = await openAs(f, sink, browser, people.owner, PHONE)
  await using second = await openAs(f, sink, browser, people.coordinator, PHONE)
  const windows = [await first.newPage(), await second.newPage()]
  for (const page of windows) await page.goto(`${f.stack.inboxUrl}${path}/links`)
  await Promise.all(windows.map((page) => page.getByRole('button', { name: /^Revoke/ }).click()))
  const answers = await Promise.all(windows.map((page) => page.locator('.done').textContent()))
  t.deepEqual(answers.toSorted(), ['Link revoked. It no longer opens the sheet.', 'Someone else changed this first.'])
  for (const page of windows) {
    t.true((await wordsOf(page)).includes('Revoked Created today'))
    t.is(await page.getByRole('button', { name: /^Revoke/ }).count(), 0)
  }
  t.is((await new Visitor(f).submit(address, { code })).status, 404)
})

test('whoever opens a link while it is revoked sees the sheet or that it ended, and nobody sees it afterward', async (t) => {
  const { f, sink } = t.context
  const { path, owner, workspaceId } = await newScene(f, sink)
  await using mongo = await openDatabase(f.stack, 'care-circle')
  const links = mongo.db().collection<{ _id: string; openedCount: number }>('emergency_links')
  for (let before = 0; before <= 3; before += 1) {
    const { address, code } = await newLink(owner, path)
    const [link] = await links.find({ workspaceId }).sort({ createdAt: -1 }).toArray()
    const _id = link?._id ?? ''
    const open = () => new Visitor(f).submit(address, { code })
    const sent = Array.from({ length: 4 }, (_, n) =>
      n === before ? owner.submit(`${path}/revoke`, { link: _id }) : open(),
    )
    const [revoked, ...answers] = (await Promise.all(sent)).sort((one) => (one.status === 303 ? -1 : 1))
    t.is(revoked?.status, 303)
    for (const { status, text } of answers) {
      t.true(status === 200 || status === 404, `${status}`)
      t.is(text.includes('Penicillin'), status === 200)
      t.is(text.includes(REFUSED) && text.includes('when the family revokes it'), status === 404)
    }
    const shown = answers.filter(({ status }) => status === 200).length
    t.is((await links.findOne({ _id }))?.openedCount, shown, 'the owner sees each opening')
    t.is((await open()).status, 404)
  }
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
