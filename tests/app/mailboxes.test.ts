import { openAs, openSharedScenes, signIn } from './_app.ts'

const { test, onScreen } = openSharedScenes('standard')

const PATH = '/settings/mailboxes'
const PASSWORD = 'never shown again'

onScreen('the owner adds a mailbox on a phone, reads why it fails, and removes it', async (t) => {
  const { f, sink, browser } = t.context
  const { people } = await f.another()
  await using context = await openAs(f, sink, browser, people.owner, { viewport: { width: 360, height: 640 } })
  const page = await context.newPage()
  await page.goto(f.stack.inboxUrl + PATH)
  await page.getByRole('link', { name: 'Add a mailbox' }).click()
  await page.getByRole('link', { name: 'Fastmail' }).click()
  await page.getByText('Create an app password with access to mail').waitFor()
  await page.getByRole('link', { name: 'Other' }).click()
  await page.getByLabel('App password').fill(PASSWORD)
  await page.getByLabel('User name').fill('rosa@family.example')
  await page.getByRole('button', { name: 'Add mailbox' }).click()
  await page.getByRole('link', { name: 'Enter the name of the mail server' }).waitFor()
  t.is(await page.getByLabel('User name').inputValue(), 'rosa@family.example')
  t.is(await page.getByLabel('App password').inputValue(), '')
  t.is(await page.evaluate('document.documentElement.scrollWidth'), 360)
  // A name that leads back to this machine, which only an installation at home allows.
  await page.getByLabel('IMAP server').fill('localhost')
  await page.getByLabel('App password').fill(PASSWORD)
  await page.getByRole('button', { name: 'Add mailbox' }).click()
  await page.getByText('Added. Its new mail arrives here from now on.').waitFor()
  for (;;) {
    await page.reload()
    if (await page.getByText('This server is on a private network.').isVisible()) break
  }
  t.false((await page.content()).includes(PASSWORD))
  await page.getByRole('button', { name: 'Try now' }).click()
  await page.getByText('Trying now.').waitFor()
  await page.locator('summary', { hasText: 'Change' }).click()
  await page.getByRole('button', { name: 'Pause' }).click()
  await page.getByText('Paused. 0 messages fetched.').waitFor()
  await page.locator('summary', { hasText: 'Change' }).click()
  await page.getByRole('button', { name: 'Remove' }).click()
  await page.getByText('No mailbox yet.').waitFor()
})

onScreen(
  'on a phone, the owner connects a mailbox by signing in at its provider, and reads when that was refused',
  async (t) => {
    const { f, sink, browser } = t.context
    const { people } = await f.another()
    await using context = await openAs(f, sink, browser, people.owner, { viewport: { width: 360, height: 640 } })
    const page = await context.newPage()
    await page.goto(`${f.stack.inboxUrl + PATH}/add?with=outlook`)
    t.is(await page.getByLabel('App password').count(), 0)
    await page.getByLabel('User name').fill('rosa@outlook.example')
    await page.getByRole('button', { name: 'Continue with Microsoft' }).click()
    const link = page.getByRole('link', { name: 'Continue with Microsoft' })
    const { origin, searchParams } = new URL((await link.getAttribute('href')) ?? '')
    t.is(origin, 'https://login.microsoftonline.com')
    t.is(searchParams.get('redirect_uri'), `${f.stack.inboxUrl + PATH}/connected`)
    t.is(searchParams.get('login_hint'), 'rosa@outlook.example')
    t.is(await page.evaluate('document.documentElement.scrollWidth'), 360)
    const back = `${f.stack.inboxUrl + PATH}/connected`
    for (const answer of ['error=access_denied', `code=made-up&state=${searchParams.get('state')?.slice(0, -2)}`]) {
      await page.goto(`${back}?${answer}`)
      await page.getByText('Not connected: the access was not given.').waitFor()
    }
    await page.getByText('Not connected yet.').waitFor()
    t.is(await page.evaluate('document.documentElement.scrollWidth'), 360)
    await page.getByRole('link', { name: 'Connect rosa@outlook.example' }).click()
    await link.waitFor()
    await page.goto(`${f.stack.inboxUrl + PATH}/add?with=outlook`)
    await page.getByRole('link', { name: 'Use an app password instead' }).click()
    await page.getByLabel('App password').waitFor()
  },
)

test('a viewer reads the state of a mailbox and cannot change it, and a stranger finds none', async (t) => {
  const { f, sink } = t.context
  const { people, lovedOnes } = await f.another({ others: ['viewer'] })
  const [owner, viewer] = [await signIn(f, sink, people.owner), await signIn(f, sink, people.viewer)]
  const stranger = await signIn(f, sink, (await f.another()).people.owner)
  const fields = {
    with: 'other',
    for: lovedOnes[0]?.id ?? '',
    host: 'localhost',
    encryption: 'tls',
    userName: 'rosa@family.example',
    password: PASSWORD,
    action: 'leave',
  }
  t.is((await viewer.submit(`${PATH}/add`, fields)).status, 403)
  t.is((await viewer.get(`${PATH}/add`)).status, 403)
  t.is((await stranger.submit(`${PATH}/add`, fields)).status, 404)
  t.is((await owner.submit(`${PATH}/add`, { ...fields, senders: 'nobody' })).status, 422)
  t.is((await owner.submit(`${PATH}/add`, fields)).status, 303)
  const again = await owner.submit(`${PATH}/add`, fields)
  t.is(again.status, 422)
  t.true(again.text.includes('fetched already'))

  const [, id = ''] = /mailboxes\/(mbx_\w+)\/pause/.exec((await owner.get(PATH)).text) ?? []
  t.not(id, '')
  const seen = (await viewer.get(PATH)).text
  t.true(seen.includes('rosa@family.example') && seen.includes('Only the owner can add or change a mailbox.'))
  for (const text of [seen, (await owner.get(PATH)).text]) t.false(text.includes(PASSWORD))
  t.false((await stranger.get(PATH)).text.includes('rosa@family.example'))
  for (const [form, more] of [
    ['try', {}],
    ['pause', { paused: 'yes' }],
    ['password', { password: 'x' }],
  ] as const) {
    t.is((await viewer.submit(`${PATH}/${id}/${form}`, more)).status, 403, form)
    t.is((await stranger.submit(`${PATH}/${id}/${form}`, more)).status, 404, form)
  }
  t.is((await viewer.submit(`${PATH}/${id}/remove`, {})).status, 403)
  await stranger.submit(`${PATH}/${id}/remove`, {})
  t.is((await owner.submit(`${PATH}/${id}/password`, { password: '' })).status, 422)
  t.true((await owner.get(PATH)).text.includes(id))
  t.is((await owner.submit(`${PATH}/${id}/remove`, {})).status, 303)
  t.false((await owner.get(PATH)).text.includes(id))
})
