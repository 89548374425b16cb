import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { Guest } from '../_family.ts'
import { connectApplication } from '../_visitor.ts'
import { openAs, openSharedScenes, openWith, signIn } from './_app.ts'

const { test, onScreen } = openSharedScenes('standard', { withMail: true })

onScreen(
  'a key is made on the page without scripts, works for an assistant, and after it is revoked no more',
  async (t) => {
    const { f, sink, browser } = t.context
    await using context = await openAs(f, sink, browser, f.family.people.viewer, { javaScriptEnabled: false })
    const page = await context.newPage()
    await page.goto(`${f.stack.inboxUrl}/settings/tool-keys`)
    await page.getByLabel('Name').fill('The kitchen tablet')
    await page.getByRole('button', { name: 'Create key' }).click()
    const key = (await page.locator('#key').textContent()) ?? ''
    t.regex(key, /^sk-sand-[0-9A-Za-z]{43}$/)
    t.true((await page.locator('#settings-lines').textContent())?.includes(`${f.stack.apiUrl}/mcp/v1`))

    const client = await connectClient(f, key)
    const found = await client.callTool({ name: 'list_loved_ones', arguments: {} })
    t.is((found.structuredContent as { lovedOnes: unknown[] }).lovedOnes.length, 2)
    await client.close()

    await page.goto(`${f.stack.inboxUrl}/settings/tool-keys`)
    t.false((await page.content()).includes('sk-sand-'), 'a key is shown once')
    await page.goto(`${f.stack.inboxUrl}/settings/assistants`)
    t.false((await page.content()).includes('sk-sand-'), 'a key is shown once')
    const row = page.getByRole('listitem').filter({ hasText: 'The kitchen tablet' })
    t.regex((await row.textContent()) ?? '', /Last used today/)
    await row.getByRole('link', { name: 'Disconnect' }).click()
    await page.getByRole('button', { name: 'Disconnect' }).click()
    t.regex((await page.locator('.done').textContent()) ?? '', /^Key revoked/)
    t.is((await f.call(key, 'ping')).status, 401)
    await t.throwsAsync(connectClient(f, key))

    await page.goto(`${f.stack.inboxUrl}/settings/agent-activity`)
    const activity = (await page.locator('main').textContent()) ?? ''
    t.true(activity.includes('Your assistant (The kitchen tablet) listed your loved ones and had'), activity)
    t.true(activity.includes('Refused: its access was revoked or expired.'), activity)
  },
)

test('a form sent twice creates one key, shown at its address until it is used', async (t) => {
  const { f, sink } = t.context
  const visitor = await signIn(f, sink, f.family.people.coordinator)
  const form = await visitor.get('/settings/tool-keys')
  const request = /name="request" value="([^"]+)"/.exec(form.text)?.[1] ?? ''
  const send = () => visitor.submit('/settings/tool-keys', { name: 'Twice', request })
  const answers = await Promise.all([send(), send(), send()])
  t.deepEqual(
    answers.map(({ status }) => status),
    [303, 303, 303],
  )
  const show = () => visitor.get('/settings/tool-keys/created')
  const keys = [await show(), await show()].map(({ text }) => /sk-sand-[0-9A-Za-z]{43}/.exec(text)?.[0])
  t.truthy(keys[0])
  t.is(keys[0], keys[1], 'a reload shows it again')
  t.is((await f.call(keys[0] ?? '', 'ping')).status, 200)
  await send()
  const late = await show()
  t.true(late.text.includes('This key already exists'))
  t.false(late.text.includes('sk-sand-'))
  await visitor.submit('/settings/tool-keys', { name: 'Another', request })
  const other = await show()
  t.regex(other.text, /sk-sand-/, 'another name creates another key')
  t.false(other.text.includes(keys[0] ?? ''))
  const list = await visitor.get('/settings/assistants')
  t.is(list.text.match(/<bdi>Twice<\/bdi>/g)?.length, 1)
})

onScreen('a disconnected app loses access', async (t) => {
  const { f, sink, browser } = t.context
  const visitor = await signIn(f, sink, f.family.people.owner)
  const { access_token } = await connectApplication(f, visitor, ['care_circle:read'])
  t.is((await f.call(access_token, 'list_loved_ones')).status, 200)
  t.is((await f.call(access_token, 'create_provider_code', { lovedOneId: f.family.lovedOnes[0]?.id })).status, 403)

  await using context = await openWith(f, browser, visitor.cookie)
  const page = await context.newPage()
  await page.goto(`${f.stack.inboxUrl}/settings/connected-apps`)
  t.is(new URL(page.url()).pathname, '/settings/assistants', 'where apps are listed now')
  const row = page.getByRole('listitem').filter({ has: page.getByRole('heading', { name: 'Test', exact: true }) })
  const words = (await row.textContent()) ?? ''
  t.true(words.includes('It can read your loved ones’ mail'), words)
  t.false(words.includes('It can invite'), words)
  await page.getByRole('link', { name: 'Disconnect Test' }).click()
  await page.getByRole('button', { name: 'Disconnect' }).click()
  t.is(await page.locator('h1').textContent(), 'Your assistants')
  t.is(await row.count(), 0)
  t.is((await f.call(access_token, 'ping')).status, 401)

  await page.goto(`${f.stack.inboxUrl}/settings/agent-activity`)
  const activity = (await page.locator('main').textContent()) ?? ''
  t.regex(activity, /Your assistant \(Test\) listed your loved ones and had \d calls? refused\./)
  t.true(activity.includes('Tried to create a code for an agency.'), activity)
  t.true(activity.includes('Refused: it has read-only access.'), activity)
})

test('the owner sees and filters everyone’s assistant activity; others see only their own', async (t) => {
  const { f, sink } = t.context
  const lovedOneId = f.family.lovedOnes[0]?.id
  const { json } = await f.call(f.family.keys.coordinator, 'list_inbox_messages', { lovedOneId })
  for (const { id } of json.result.structuredContent.messages.slice(0, 3))
    await f.call(f.family.keys.coordinator, 'get_inbox_message', { lovedOneId, messageId: id })
  await f.call(f.family.keys.viewer, 'create_provider_code', { lovedOneId })

  const owner = await signIn(f, sink, f.family.people.owner)
  const all = wordsOf((await owner.get('/settings/agent-activity')).text)
  t.true(all.includes('Luis Almeida’s assistant (Demo key) read 3 messages and looked through the inbox.'), all)
  t.true(all.includes('Marta Duarte’s assistant (Demo key) had 1 call refused.'), all)
  const refused = wordsOf((await owner.get('/settings/agent-activity?ended=refused&tool=create_provider_code')).text)
  t.true(refused.includes('Marta Duarte’s assistant'), refused)
  t.false(refused.includes('read 3 messages'), refused)

  const viewer = await signIn(f, sink, f.family.people.viewer)
  const own = wordsOf((await viewer.get('/settings/agent-activity')).text)
  t.true(own.includes('Your assistant (Demo key) had 1 call refused.'), own)
  t.false(own.includes('Luis'), own)
  const other = await f.another()
  await f.call(other.keys.owner, 'list_loved_ones')
  t.false(wordsOf((await owner.get('/settings/agent-activity')).text).includes('no longer connected'))
})

onScreen('a device can be signed out from another, or all of them together', async (t) => {
  const { f, sink, browser } = t.context
  const email = f.family.people.coordinator
  const phone = await signIn(f, sink, email)
  const tablet = await signIn(f, sink, email)
  await using context = await openAs(f, sink, browser, email)
  const page = await context.newPage()
  await page.goto(`${f.stack.inboxUrl}/settings/devices`)
  const rows = page.locator('.rows .item')
  const before = await rows.count()
  t.is(await page.getByText('This device', { exact: true }).count(), 1)
  // Newest first: this device, then the tablet.
  await rows.nth(1).getByRole('button').click()
  t.is(await rows.count(), before - 1)
  t.is((await tablet.get('/settings')).headers.location, '/sign-in?return_to=%2Fsettings')
  t.is((await phone.get('/settings')).status, 200)
  await page.getByRole('button', { name: 'Sign out everywhere' }).click()
  t.is(await page.locator('h1').textContent(), 'You are signed out')
  t.is((await phone.get('/settings')).status, 303)
})

test('a new name shows in every inbox of the person, and changes nobody else', async (t) => {
  const { f, sink } = t.context
  const visitor = await signIn(f, sink, f.family.people.viewer)
  t.is((await visitor.submit('/settings/profile', { name: '  ' })).status, 422)
  t.is((await visitor.submit('/settings/profile', { name: 'Marta D. <Oliveira>' })).status, 303)
  t.true((await visitor.get('/settings/profile')).text.includes('Marta D. &#60;Oliveira&#62;'))
  const { json } = await f.call(f.family.keys.owner, 'list_family_members')
  const names = json.result.structuredContent.members.map(({ name }: { name: string }) => name)
  t.deepEqual(names.sort(), ['Ana Almeida', 'Luis Almeida', 'Marta D. <Oliveira>'])
})

test('another person’s ids get the same response as unknown ids, on every page and form', async (t) => {
  const { f, sink } = t.context
  const visitor = await signIn(f, sink, f.family.people.viewer)
  const owner = await signIn(f, sink, f.family.people.owner)
  const keyId = /tool-keys\/(key_\w+)\/revoke/.exec((await owner.get('/settings/assistants')).text)?.[1] ?? ''
  const sessionId = /name="session" value="(ses_\w+)"/.exec((await owner.get('/settings/devices')).text)?.[1] ?? ''
  await connectApplication(f, owner, ['care_circle:read'])
  const grantId = /connected-apps\/([\w-]+)\/disconnect/.exec((await owner.get('/settings/assistants')).text)?.[1]
  t.truthy(keyId && sessionId && grantId)
  const pages = [
    (id: string) => visitor.get(`/settings/tool-keys/${id}/revoke`),
    (id: string) => visitor.submit(`/settings/tool-keys/${id}/revoke`, {}),
    (id: string) => visitor.get(`/settings/connected-apps/${id}/disconnect`),
    (id: string) => visitor.submit(`/settings/connected-apps/${id}/disconnect`, {}),
    (id: string) => visitor.submit('/settings/devices', { session: id }),
  ]
  for (const [index, open] of pages.entries()) {
    const foreign = await open([keyId, keyId, grantId, grantId, sessionId][index] as string)
    const missing = await open('key_00000000000000000000000000')
    t.is(foreign.status, 404, `${index}`)
    t.is(foreign.text, missing.text, `${index}`)
  }
  t.is(
    (await visitor.submit('/settings/devices', { session: '' })).status,
    404,
    'an empty id does not mean all devices',
  )
  t.is((await owner.get('/settings')).status, 200)
  t.is((await f.call(f.family.keys.owner, 'ping')).status, 200)
})

test('form posts are rate limited', async (t) => {
  const { f, sink } = t.context
  const visitor = await signIn(f, sink, (await f.another({ others: ['viewer'] })).people.viewer)
  const statuses = new Map<number, number>()
  for (let sent = 0; sent < 75; sent += 1) {
    const { status, headers } = await visitor.submit('/settings/profile', { name: '' })
    statuses.set(status, (statuses.get(status) ?? 0) + 1)
    if (status === 429) t.true(Number(headers['retry-after']) > 0)
  }
  t.deepEqual([...statuses.keys()].sort(), [422, 429])
  t.is((await visitor.get('/settings')).status, 200, 'reading still works')
})

async function connectClient(f: Guest, key: string): Promise<Client> {
  const transport = new StreamableHTTPClientTransport(new URL(`${f.stack.apiUrl}/mcp/v1`), {
    requestInit: { headers: { authorization: `Bearer ${key}` } },
  })
  const client = new Client({ name: 'test', version: '1' })
  await client.connect(transport)
  return client
}

/** The visible text of a page. */
function wordsOf(page: string): string {
  return page
    .replace(/<[^>]*>/g, '')
    .replace(/\s+/g, ' ')
    .replaceAll('&#39;', '’')
}
