import type { Page } from 'playwright-core'
import type { Guest } from '../_family.ts'
import { connectApplication } from '../_visitor.ts'
import { mintKey, newestId, receive } from '../outgoing-mail/_approval.ts'
import { openSharedScenes, openWith, signIn } from './_app.ts'
import { countActions, PHONE } from './_count-actions.ts'

const { test, onScreen } = openSharedScenes('standard', { withMail: true })
const ASSISTANTS = '/settings/assistants'

/** Whether an assistant is answered. */
async function works(f: Guest, key: string): Promise<boolean> {
  const { json } = await f.call(key, 'ping')
  return json.result.isError !== true
}

onScreen('I stop an assistant in two taps from what it did, and Undo resumes it', async (t) => {
  const { f, sink, browser } = t.context
  const guest = { ...f, family: await f.another({ others: ['coordinator'] }) }
  const { people, keys } = guest.family
  const { messageId, lovedOneId } = await receive(guest, 'desk@clinic.example')
  await f.call(keys.coordinator, 'get_inbox_message', { messageId, lovedOneId })
  const luis = await signIn(f, sink, people.coordinator)
  await using context = await openWith(f, browser, luis.cookie, PHONE)
  const page = await context.newPage()
  await page.goto(`${f.stack.inboxUrl}/inbox/${lovedOneId}/${messageId}`)
  const { tap, count } = countActions(page)
  await tap(page.getByRole('link', { name: /read this today/ }))
  await tap(page.getByRole('button', { name: 'Pause Demo key' }))
  await page.getByText('Paused. Its next call is refused.').waitFor()
  t.is(count(), 2)
  t.false(await works(f, keys.coordinator))
  t.true(await works(f, keys.owner), 'only this one')
  t.regex(page.url(), /agent-activity\?day=[\d-]+&assistant=key_\w+$/, 'still the same activity')
  t.is(await page.evaluate('document.documentElement.scrollWidth'), 360)

  await tap(page.getByRole('button', { name: 'Undo' }))
  await page.getByText('Resumed. It can work again.').waitFor()
  t.true(await works(f, keys.coordinator))
})

onScreen('on the list of all activity, one tap stops one of mine, and two stop everyone’s', async (t) => {
  const { f, sink, browser } = t.context
  const { people, keys } = await f.another({ others: ['coordinator'] })
  for (const key of [keys.owner, keys.coordinator]) await f.call(key, 'list_loved_ones')
  const ana = await signIn(f, sink, people.owner)
  await using context = await openWith(f, browser, ana.cookie, PHONE)
  const page = await context.newPage()
  await page.goto(`${f.stack.inboxUrl}/settings/agent-activity`)
  t.is(await page.getByRole('button', { name: /^Pause/ }).count(), 1, 'another person’s is not mine to pause')
  const one = countActions(page)
  await one.tap(page.getByRole('button', { name: 'Pause Demo key' }))
  await page.getByRole('button', { name: 'Resume Demo key' }).waitFor()
  t.is(one.count(), 1)
  t.deepEqual([await works(f, keys.owner), await works(f, keys.coordinator)], [false, true])

  const all = countActions(page)
  await all.tap(page.getByRole('link', { name: 'pause everyone’s' }))
  await all.tap(page.getByRole('button', { name: 'Pause all assistants' }))
  await page.getByRole('button', { name: 'Resume all assistants' }).waitFor()
  t.is(all.count(), 2)
  t.true(await page.getByText('The owner paused all assistants of your family.').isVisible())
  t.deepEqual([await works(f, keys.owner), await works(f, keys.coordinator)], [false, false])
})

test('each of my assistants says when it was last used and what it can do', async (t) => {
  const { f, sink } = t.context
  const guest = { ...f, family: await f.another({ others: ['viewer'] }) }
  const { people, keys } = guest.family
  const ana = await signIn(f, sink, people.owner)
  const careful = await mintKey(ana, 'approval', 'Careful')
  await mintKey(ana, 'read', 'Reader')
  await f.call(careful, 'list_loved_ones')
  await connectApplication(guest, ana, ['care_circle:read'])
  const rows = rowsOf((await ana.get(ASSISTANTS)).text)
  t.regex(rows.get('Careful') ?? '', /Last used today/)
  t.regex(rows.get('Careful') ?? '', /It can read your loved ones’ mail/)
  t.regex(rows.get('Careful') ?? '', /It can invite people.* What it writes waits until a family member sends it/)
  for (const name of ['Reader', 'Test']) t.regex(rows.get(name) ?? '', /It can’t send or change anything/, name)
  t.regex(rows.get('Reader') ?? '', /Not used yet/)
  t.notRegex(rows.get('Test') ?? '', /your email address/, 'it may not read the profile')
  t.regex(rows.get('Demo key') ?? '', /It can invite people, create codes for care agencies, and send replies/)

  const marta = await signIn(f, sink, people.viewer)
  const own = rowsOf((await marta.get(ASSISTANTS)).text)
  t.deepEqual([...own.keys()], ['Demo key'], 'and nobody else’s')
  t.regex(own.get('Demo key') ?? '', /It can’t send or change anything/, 'as the person it acts for')
  t.is((await marta.submit(ASSISTANTS, { setting: 'paused', value: 'on' })).status, 403)
  t.true(await works(f, keys.owner))
})

test('whoever has no assistant is led to connect one', async (t) => {
  const { f, sink } = t.context
  const marta = await signIn(f, sink, (await f.another({ others: ['viewer'] })).people.viewer)
  const keyId = await newestId(marta, 'tool-keys')
  const { headers } = await marta.submit(`/settings/tool-keys/${keyId}/revoke`, {})
  t.is(headers.location, ASSISTANTS)
  const { text } = await marta.get(ASSISTANTS)
  t.true(text.includes('You haven’t connected an assistant yet. <a href="/connect">Connect an assistant</a>'))
})

test('an address from an older mail leads to where that is now', async (t) => {
  const { f, sink } = t.context
  const ana = await signIn(f, sink, (await f.another()).people.owner)
  for (const old of ['/settings/connected-apps', '/settings/notes']) {
    const { status, headers } = await ana.get(old)
    t.deepEqual([status, headers.location], [303, ASSISTANTS], old)
  }
  const keyId = await newestId(ana, 'tool-keys')
  for (const kept of [`/settings/tool-keys/${keyId}`, '/settings/tool-keys', '/settings/agent-activity', ASSISTANTS])
    t.is((await ana.get(kept)).status, 200, kept)
  t.is((await ana.submit(`/settings/tool-keys/${keyId}/revoke`, {})).status, 303)
  const gone = await ana.get(`/settings/tool-keys/${keyId}`)
  t.deepEqual([gone.status, gone.headers.location], [303, ASSISTANTS])
})

onScreen('beside a page, the whole list of settings can be read and reached on a small desk', async (t) => {
  const { f, sink, browser } = t.context
  const ana = await signIn(f, sink, f.family.people.owner)
  await using context = await openWith(f, browser, ana.cookie, { viewport: { width: 900, height: 500 } })
  const page = await context.newPage()
  for (const path of [ASSISTANTS, '/settings/profile', '/settings/agent-activity', '/connect']) {
    await page.goto(f.stack.inboxUrl + path)
    const list = page.getByRole('navigation', { name: 'Settings' })
    t.true(await list.isVisible(), path)
    t.deepEqual(await findCut(page), [], path)
    t.is(await page.evaluate('document.documentElement.scrollWidth'), 900, path)
    t.is(await list.getByRole('link').count(), 11, path)
    const last = list.getByRole('link').last()
    await last.scrollIntoViewIfNeeded()
    const box = await last.boundingBox()
    t.true(box !== null && box.y >= 0 && box.y + box.height <= 500, path)
  }
})

/** What of the list does not fit into its box, by its text. */
function findCut(page: Page): Promise<string[]> {
  return page.evaluate(`[...document.querySelectorAll('nav.side, nav.side *')]
    .filter((one) => getComputedStyle(one).display !== 'inline')
    .filter((one) => one.scrollWidth > one.clientWidth + 1 || one.scrollHeight > one.clientHeight + 1)
    .map((one) => one.textContent.trim().slice(0, 40))`)
}

/** The words of each assistant's row, by its name. */
function rowsOf(text: string): Map<string, string> {
  const rows = text.split('<li class="item"><div><h2>').slice(1)
  return new Map(
    rows.map((row) => {
      const [words = ''] = row.split('<div class="row">')
      return [/<bdi>([^<]*)<\/bdi>/.exec(words)?.[1] ?? '', words.replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' ')]
    }),
  )
}
