import type { DemoFamily } from '@family-inbox/ops/demo-seed'
import { randomText } from '@family-inbox/service-kit/ids/ids'
import type { Page } from 'playwright-core'
import type { Guest } from '../_family.ts'
import { connectSmtp, deliver, plainMail } from '../inbox/_smtp-client.ts'
import { openAs, openSharedScenes, type Sink, signIn } from './_app.ts'

/** Seeding a workspace uses two of them. */
const INVITATIONS_PER_DAY = 50

const { test, onScreen } = openSharedScenes()

/** People of this run. */
const HOUSE = `${randomText(8)}.almeida.example`

const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click()
const follow = (page: Page, name: string | RegExp) => page.getByRole('link', { name }).click()
const wordsOf = async (page: Page) => ((await page.locator('main').textContent()) ?? '').replaceAll(/\s+/g, ' ')

onScreen('someone is invited in one browser and accepts in another, without scripts', async (t) => {
  const { f, sink, browser } = t.context
  await using owner = await openAs(f, sink, browser, f.family.people.owner, { javaScriptEnabled: false })
  const page = await owner.newPage()
  await page.goto(`${f.stack.inboxUrl}/care-circle`)
  await follow(page, 'Invite someone')
  await page.getByLabel('Their email address').fill(`zoe@${HOUSE}`)
  await page.getByLabel('Read only').check()
  await page.getByLabel('How are they related to the person you care for?').fill('neighbour')
  await page.getByLabel('Add a message').fill('Good to have you.')
  await press(page, 'Send invitation')
  const link = (await page.locator('#link').textContent()) ?? ''
  const [mail] = await sink.waitFor(`zoe@${HOUSE}`)
  t.true(mail?.raw.replaceAll('=\r\n', '').includes(link), 'the page shows the link of the mail')
  t.true(mail?.raw.includes('Good to have you.'))

  await follow(page, 'Back to care circle')
  t.true((await wordsOf(page)).includes(`zoe@${HOUSE} Once they accept, they can read`))
  await follow(page, `zoe@${HOUSE}`)
  t.false((await page.content()).includes(link), 'a link is shown once')
  await press(page, 'Send again')
  const renewed = (await page.locator('#link').textContent()) ?? ''
  t.not(renewed, link)
  await sink.waitFor(`zoe@${HOUSE}`, 2)

  await using guest = await openAs(f, sink, browser, `zoe@${HOUSE}`, { javaScriptEnabled: false })
  const theirs = await guest.newPage()
  await theirs.goto(link)
  t.is(await theirs.locator('h1').textContent(), 'This invitation is no longer valid', 'the old link no longer works')
  await theirs.goto(renewed)
  await theirs.getByLabel('Your name').fill('Zoe Nunes')
  await press(theirs, 'Accept invitation')
  await theirs.goto(`${f.stack.inboxUrl}/care-circle`)
  t.true((await wordsOf(theirs)).includes('Zoe Nunes you neighbour · can read'))
  t.is(await theirs.getByRole('link', { name: 'Invite someone' }).count(), 0)

  await page.goto(`${f.stack.inboxUrl}/care-circle`)
  const words = await wordsOf(page)
  t.true(words.includes(`Zoe Nunes neighbour · can read zoe@${HOUSE}`), words)
  t.false(words.includes('Pending invitations'), words)
})

onScreen('a canceled invitation’s link no longer works', async (t) => {
  const { f, sink, browser } = t.context
  await using owner = await openAs(f, sink, browser, f.family.people.coordinator, { javaScriptEnabled: false })
  const page = await owner.newPage()
  await page.goto(`${f.stack.inboxUrl}/care-circle/invite`)
  await page.getByLabel('Their email address').fill(`tom@${HOUSE}`)
  await press(page, 'Send invitation')
  const link = (await page.locator('#link').textContent()) ?? ''
  await follow(page, 'Back to care circle')
  await follow(page, `tom@${HOUSE}`)
  await follow(page, 'Cancel invitation')
  await press(page, 'Cancel invitation')
  t.regex((await page.locator('.done').textContent()) ?? '', /^Invitation canceled/)
  t.false((await wordsOf(page)).includes(`tom@${HOUSE}`))
  await page.goto(link)
  t.is(await page.locator('h1').textContent(), 'This invitation is no longer valid')
})

onScreen('a changed role and a removed member take effect on the next page', async (t) => {
  const { f, sink, browser } = t.context
  const luis = await signIn(f, sink, f.family.people.coordinator)
  await using owner = await openAs(f, sink, browser, f.family.people.owner, { javaScriptEnabled: false })
  const page = await owner.newPage()
  t.is((await luis.get('/care-circle/invite')).status, 200)
  await page.goto(`${f.stack.inboxUrl}/care-circle`)
  await follow(page, 'Luis Almeida')
  await page.getByLabel('Viewer').check()
  await press(page, 'Save role')
  t.regex((await page.locator('.done').textContent()) ?? '', /^Saved/)
  t.is((await luis.get('/care-circle/invite')).status, 403)
  t.false((await luis.get('/care-circle')).text.includes('href="/care-circle/invite"'))

  await follow(page, 'Luis Almeida')
  await follow(page, 'Remove Luis Almeida')
  t.true((await wordsOf(page)).includes('Their assistants and tool keys stop working here too'))
  await press(page, 'Remove person')
  t.false((await wordsOf(page)).includes('Luis Almeida'))
  t.is((await luis.get('/care-circle')).headers.location, '/families')
  const refused = await f.call(f.family.keys.coordinator, 'list_loved_ones')
  t.true(refused.status === 401 || refused.json.result.isError, 'their key ends with their membership')
})

onScreen('the only owner sees why they cannot leave, hands over, and then leaves', async (t) => {
  const { f, sink, browser } = t.context
  const { people } = await f.another({ others: ['coordinator'] })
  await using owner = await openAs(f, sink, browser, people.owner, { javaScriptEnabled: false })
  const page = await owner.newPage()
  await page.goto(`${f.stack.inboxUrl}/care-circle`)
  await follow(page, 'Leave this care circle')
  t.true((await wordsOf(page)).includes('You’re the only owner'))
  t.is(await page.getByRole('button', { name: 'Leave' }).count(), 0)
  await page.goto(`${f.stack.inboxUrl}/care-circle`)
  await follow(page, 'Luis Almeida')
  await follow(page, 'Hand over the care circle to Luis Almeida')
  await press(page, 'Hand over')
  t.true((await wordsOf(page)).includes('Ana Almeida you daughter · can read, reply, and invite others'))
  const luis = await signIn(f, sink, people.coordinator)
  t.true((await luis.get('/care-circle')).text.includes('can read, reply, and manage people'))
  await follow(page, 'Leave this care circle')
  await press(page, 'Leave')
  t.true(page.url().endsWith('/welcome'), page.url())
  await page.goto(`${f.stack.inboxUrl}/care-circle`)
  t.true(page.url().endsWith('/welcome'), 'the care circle is no longer visible')
})

onScreen('a code is created with the keyboard, shown once, copied, and canceled', async (t) => {
  const { f, sink, browser } = t.context
  await using owner = await openAs(f, sink, browser, f.family.people.owner, {
    permissions: ['clipboard-read', 'clipboard-write'],
  })
  const page = await owner.newPage()
  await page.goto(`${f.stack.inboxUrl}/care-circle/codes/new`)
  await page.locator('input[value^=lo_]').first().focus()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await page.locator('#code').waitFor()
  t.is(await page.locator('h1').textContent(), 'Code for Jorge Almeida')
  const code = (await page.locator('#code').textContent()) ?? ''
  t.regex(code, /^[0-9A-Z]{4} [0-9A-Z]{4}$/)
  await press(page, 'Copy the code')
  await page.getByRole('button', { name: 'Copied the code' }).waitFor()
  t.is(await page.evaluate('navigator.clipboard.readText()'), code)

  await follow(page, 'Back to care circle')
  const words = await wordsOf(page)
  t.true(words.includes(`For Jorge Almeida, ending in ${code.slice(-2)}`), words)
  t.false(words.includes(code), 'the code is shown once')
  await follow(page, new RegExp(`^Cancel code.*${code.slice(-2)}$`))
  await press(page, 'Cancel code')
  t.false((await wordsOf(page)).includes('Unused codes'))
})

onScreen(
  'a loved one is added and renamed; a retired address stops receiving mail, and earlier mail stays',
  async (t) => {
    const { f, sink, browser } = t.context
    await using owner = await openAs(f, sink, browser, f.family.people.owner, { javaScriptEnabled: false })
    const page = await owner.newPage()
    await page.goto(`${f.stack.inboxUrl}/care-circle`)
    await follow(page, 'Add person')
    await press(page, 'Add person')
    t.regex(await page.title(), /^Error: /)
    await page.getByLabel('Who are you caring for?').fill('Aunt Inês')
    await press(page, 'Add person')
    const address = (await page.locator('#address').textContent()) ?? ''
    await page.getByLabel('Name', { exact: true }).fill('Inês Duarte')
    await press(page, 'Save name')
    t.is(await page.locator('h1 bdi').textContent(), 'Inês Duarte')
    t.regex(await deliver(f.stack.smtpPort, address, plainMail('Your appointment')), /^250/)

    await follow(page, 'Retire address')
    t.true((await wordsOf(page)).includes(address))
    await press(page, 'Retire address')
    t.regex((await page.locator('.done').textContent()) ?? '', /no longer accepts mail/)
    t.regex(await recipientAnswer(f, address), /^550/)
    const { json } = await f.call(f.family.keys.viewer, 'list_loved_ones')
    const ines = json.result.structuredContent.lovedOnes.find(({ name }: { name: string }) => name === 'Inês Duarte')
    t.is(ines.inboxAddress, null)
    const mail = await f.call(f.family.keys.viewer, 'list_inbox_messages', { lovedOneId: ines.id })
    t.is(mail.json.result.structuredContent.messages[0].subject, 'Your appointment')

    await press(page, 'Get an address')
    const next = (await page.locator('#address').textContent()) ?? ''
    t.not(next, address)
    t.regex(await deliver(f.stack.smtpPort, next, plainMail('At the new one')), /^250/)
    t.regex(await recipientAnswer(f, address), /^550/)
  },
)

test('a form sent twice invites once; too many invitations are refused, and the form keeps what was typed', async (t) => {
  const { f, sink } = t.context
  const { people, keys } = await f.another({ others: ['coordinator'] })
  const owner = await signIn(f, sink, people.owner)
  const invite = (email: string, idempotency_key: string) =>
    owner.submit('/care-circle/invite', { email, role: 'viewer', relationship: '', message: 'Hello', idempotency_key })
  const twice = await Promise.all([invite(`a@${HOUSE}`, 'once'), invite(`a@${HOUSE}`, 'once')])
  t.deepEqual(
    twice.map(({ status }) => status),
    [303, 303],
  )
  const withLink = twice.filter(({ headers }) => `${headers['set-cookie']}`.includes('family_carried='))
  t.is(withLink.length, 1, 'only one response has the link')
  t.regex((await owner.get('/care-circle/invited')).text, /\/invitation\/[\w-]{20,}/)
  t.is((await (await signIn(f, sink, people.coordinator)).get('/care-circle/invited')).status, 303, 'for them only')
  for (let used = 2; used < INVITATIONS_PER_DAY - 3; used += 1) {
    const args = { email: `guest${used}@${HOUSE}`, role: 'viewer' }
    t.is((await f.call(keys.owner, 'invite_family_member', args)).json.result.isError, undefined)
  }
  for (const name of ['b', 'c', 'd']) t.is((await invite(`${name}@${HOUSE}`, name)).status, 303)
  const refused = await invite(`e@${HOUSE}`, 'e')
  t.is(refused.status, 429)
  t.true(Number(refused.headers['retry-after']) > 0)
  t.true(refused.text.includes(`value="e@${HOUSE}"`) && refused.text.includes('Too many invitations'))
  const again = await invite(`a@${HOUSE}`, 'another')
  t.is(again.status, 422)
  t.true(again.text.includes('already invited'))
  t.is((await sink.waitFor(`a@${HOUSE}`)).length, 1)
  t.is(sink.mails.filter(({ to }) => to.includes(`e@${HOUSE}`)).length, 0)
})

/** Every form of the care circle with valid fields. */
function formsOf(ids: Ids): [string, Record<string, string>][] {
  const lovedOne = `/care-circle/loved-ones/${ids.lovedOneId}`
  return [
    [`/care-circle/invitations/${ids.invitationId}/resend`, {}],
    [`/care-circle/invitations/${ids.invitationId}/cancel`, {}],
    [`/care-circle/people/${ids.personId}`, { role: 'viewer' }],
    [`/care-circle/people/${ids.personId}/remove`, {}],
    [`/care-circle/people/${ids.personId}/hand-over`, {}],
    [lovedOne, { name: 'Forged' }],
    [`${lovedOne}/address`, {}],
    [`${lovedOne}/retire`, { address: ids.address }],
    ['/care-circle/codes/new', { lovedOne: ids.lovedOneId }],
    [`/care-circle/codes/${ids.codeId}/cancel`, {}],
  ]
}

test('a code form sent twice creates one code, and both responses show it', async (t) => {
  const { f, sink } = t.context
  const { people, lovedOnes } = await f.another()
  const owner = await signIn(f, sink, people.owner)
  const form = await owner.get('/care-circle/codes/new')
  const idempotency_key = /name="idempotency_key" value="(\w+)"/.exec(form.text)?.[1] ?? ''
  const send = () => owner.submit('/care-circle/codes/new', { lovedOne: lovedOnes[0]?.id ?? '', idempotency_key })
  const codes = []
  for (const answer of [await send(), await send()]) {
    const { text } = await owner.get(String(answer.headers.location))
    codes.push(/id="code"><bdi>([0-9A-Z]{4} [0-9A-Z]{4})</.exec(text)?.[1])
  }
  t.truthy(codes[0])
  t.is(codes[0], codes[1])
  t.is((await owner.get('/care-circle')).text.split('/cancel"').length, 2, 'there is one code')
})

test('a loved-one form sent twice adds one person; with another name it adds another', async (t) => {
  const { f, sink } = t.context
  const { people } = await f.another()
  const owner = await signIn(f, sink, people.owner)
  const form = await owner.get('/care-circle/loved-ones/new')
  const idempotency_key = /name="idempotency_key" value="(\w+)"/.exec(form.text)?.[1] ?? ''
  const send = (name: string) => owner.submit('/care-circle/loved-ones/new', { name, idempotency_key })
  const answers = await Promise.all([send('Tia Zita'), send('Tia Zita')])
  const locations = answers.map(({ headers }) => headers.location)
  t.truthy(locations[0])
  t.is(locations[0], locations[1])
  t.not((await send('Tio Beto')).headers.location, locations[0])
  const circle = await owner.get('/care-circle')
  t.is(circle.text.split('>Tia Zita<').length, 2, 'she is listed once')
})

type Ids = { invitationId: string; personId: string; lovedOneId: string; address: string; codeId: string }

/** The ids in a care circle, read from its owner's page. */
async function idsOf(
  { f, sink }: { f: Guest; sink: Sink },
  { people, lovedOnes }: DemoFamily<'coordinator'>,
): Promise<Ids> {
  const owner = await signIn(f, sink, people.owner)
  await owner.submit('/care-circle/invite', { email: 'open@almeida.example', role: 'viewer', idempotency_key: 'open' })
  await owner.submit('/care-circle/codes/new', { lovedOne: lovedOnes[0]?.id ?? '' })
  const { text } = await owner.get('/care-circle')
  const find = (pattern: RegExp) => pattern.exec(text)?.[1] ?? ''
  return {
    invitationId: find(/invitations\/(inv_\w+)/),
    personId: find(/people\/(per_\w+)"><strong><bdi>Luis/),
    lovedOneId: lovedOnes[0]?.id ?? '',
    address: lovedOnes[0]?.inboxAddress ?? '',
    codeId: find(/codes\/(pc_\w+)\/cancel/),
  }
}

test('a viewer sees no forms, and every forged form is refused and changes nothing', async (t) => {
  const { f, sink } = t.context
  const family = await f.another({ others: ['coordinator', 'viewer'] })
  const ids = await idsOf(t.context, family)
  const viewer = await signIn(f, sink, family.people.viewer)
  const before = (await viewer.get('/care-circle')).text
  t.false(/<form method="post" action="\/care-circle/.test(before))
  t.false(/\/(invite|new|cancel)"/.test(before))
  const person = await viewer.get(`/care-circle/people/${ids.personId}`)
  t.false(/action="\/care-circle|\/remove"|\/hand-over"/.test(person.text))
  const lovedOne = await viewer.get(`/care-circle/loved-ones/${ids.lovedOneId}`)
  t.false(/action="\/care-circle|\/retire"/.test(lovedOne.text))

  const others: [string, Record<string, string>][] = [
    ['/care-circle/invite', { email: 'x@almeida.example', role: 'viewer', idempotency_key: 'x' }],
    ['/care-circle/loved-ones/new', { name: 'Forged' }],
  ]
  for (const [path, fields] of [...formsOf(ids), ...others]) t.is((await viewer.submit(path, fields)).status, 403, path)
  for (const path of [
    '/care-circle/invite',
    '/care-circle/codes/new',
    '/care-circle/loved-ones/new',
    `/care-circle/invitations/${ids.invitationId}`,
    `/care-circle/loved-ones/${ids.lovedOneId}/retire`,
    `/care-circle/people/${ids.personId}/remove`,
    `/care-circle/people/${ids.personId}/hand-over`,
    `/care-circle/codes/${ids.codeId}/cancel`,
  ])
    t.is((await viewer.get(path)).status, 403, path)
  t.is((await viewer.get('/care-circle')).text, before)
})

test('another family’s ids get the same response as unknown ids, on every page and form', async (t) => {
  const { f, sink } = t.context
  const [ours, theirs] = [await f.another(), await f.another({ others: ['coordinator'] })]
  const foreign = await idsOf(t.context, theirs)
  const nobody = 'abcdefghijklmnopqrstuvwxyz'
  const missing = {
    invitationId: `inv_${nobody}`,
    personId: `per_${nobody}`,
    lovedOneId: `lo_${nobody}`,
    codeId: `pc_${nobody}`,
    address: 'abcdefghjkmnpqrs@family-inbox.test',
  }
  const owner = await signIn(f, sink, ours.people.owner)
  const theirOwner = await signIn(f, sink, theirs.people.owner)
  const before = (await theirOwner.get('/care-circle')).text
  const pagesOf = (ids: Ids) => [
    `/care-circle/people/${ids.personId}`,
    `/care-circle/people/${ids.personId}/remove`,
    `/care-circle/people/${ids.personId}/hand-over`,
    `/care-circle/invitations/${ids.invitationId}`,
    `/care-circle/invitations/${ids.invitationId}/cancel`,
    `/care-circle/loved-ones/${ids.lovedOneId}`,
    `/care-circle/loved-ones/${ids.lovedOneId}/retire`,
    `/care-circle/codes/${ids.codeId}/cancel`,
    `/timeline/${ids.lovedOneId}`,
    `/timeline/${ids.lovedOneId}/readings`,
  ]
  for (const [index, path] of pagesOf(foreign).entries()) {
    const [answer, unknown] = [await owner.get(path), await owner.get(pagesOf(missing)[index] ?? '')]
    t.is(answer.status, 404, path)
    t.deepEqual([answer.status, answer.text], [unknown.status, unknown.text], path)
  }
  for (const [index, [path, fields]] of formsOf(foreign).entries()) {
    const [otherPath = '', otherFields = {}] = formsOf(missing)[index] ?? []
    const [answer, unknown] = [await owner.submit(path, fields), await owner.submit(otherPath, otherFields)]
    t.is(answer.status, 404, path)
    t.deepEqual([answer.status, answer.text], [unknown.status, unknown.text], path)
  }
  t.is((await theirOwner.get('/care-circle')).text, before, 'nothing of theirs has changed')
})

async function recipientAnswer(f: Guest, address: string): Promise<string> {
  using client = await connectSmtp(f.stack.smtpPort)
  await client.say('EHLO clinic.example')
  await client.say('MAIL FROM:<desk@clinic.example>')
  return await client.say(`RCPT TO:<${address}>`)
}
