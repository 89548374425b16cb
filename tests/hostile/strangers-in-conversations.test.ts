import { randomText } from '@family-inbox/service-kit/ids/ids'
import anyTest, { type TestFn } from 'ava'
import type { MongoClient } from 'mongodb'
import { setCheck, untilJoined, type Verdict } from '../_checked.ts'
import { openDatabase } from '../_database.ts'
import { type Guest, joinFamily } from '../_family.ts'
import { openMailer } from '../_mailer.ts'
import { signIn, type Visitor } from '../_visitor.ts'
import { readUntil } from '../_wait.ts'

const test = (anyTest as TestFn<{ f: Guest & { sink: Parameters<typeof signIn>[1] }; mongo: MongoClient }>).serial

const CLINIC = 'reception@oakhill.example'
const LINK = 'https://pay.attacker.example/mri'
const LURE = `The MRI moved. Pay the deposit at ${LINK} before Friday.`

test.before(async (t) => {
  const f = await joinFamily()
  t.context = { f, mongo: await openDatabase(f.stack, 'inbox') }
})
test.after.always(async (t) => {
  await t.context.mongo?.close()
  await t.context.f?.[Symbol.asyncDispose]()
})

type Mail = { from?: string; subject?: string; fields?: string[]; text?: string }
type World = Awaited<ReturnType<typeof newFamily>>

/** A family, and mail that arrives for its first loved one. */
async function newFamily({ f, mongo }: { f: Guest & { sink: Parameters<typeof signIn>[1] }; mongo: MongoClient }) {
  const { people, keys, lovedOnes, workspaceId } = await f.another()
  const { id: lovedOneId = '', inboxAddress = '' } = lovedOnes[0] ?? {}
  const messages = mongo.db().collection<{ _id: string; messageIdHeader: string; conversationId: string }>('messages')
  const topic = `MRI ${randomText(8)}`
  const firstId = `<${topic.slice(4)}@oakhill.example>`
  const owner = await signIn(f, f.sink, people.owner)

  /** Resolves to the message's id once it is checked and has joined its conversation. */
  async function arrive({ from = `"Oakhill Clinic" <${CLINIC}>`, subject = topic, fields = [], text = LURE }: Mail) {
    const messageId =
      fields.find((field) => field.startsWith('Message-ID: '))?.slice(12) ?? `<${randomText(9)}@x.example>`
    const others = fields.filter((field) => !field.startsWith('Message-ID: '))
    const lines = [`From: ${from}`, `Subject: ${subject}`, `Message-ID: ${messageId}`, ...others, '', text]
    await openMailer(f.stack).deliver(inboxAddress, lines.join('\r\n'))
    await untilJoined(mongo, workspaceId)
    const row = await messages.findOne({ workspaceId, messageIdHeader: messageId } as never)
    return row?._id.split('/').at(-1) ?? ''
  }

  const check = (id: string, verdict: Verdict) =>
    setCheck(mongo, { workspaceId, _id: `${workspaceId}/${lovedOneId}/${id}` } as never, verdict)

  const page = async (id: string) => (await owner.get(`/inbox/${lovedOneId}/${id}`)).text
  async function clinicMail(verdict: Verdict = 'verified'): Promise<string> {
    const id = await arrive({ fields: [`Message-ID: ${firstId}`], text: 'The MRI is on 3 May at 10:00.' })
    if (verdict !== 'none') await check(id, verdict)
    return id
  }
  async function conversationOf(id: string): Promise<unknown> {
    return (
      await messages.findOne({ _id: `${workspaceId}/${lovedOneId}/${id}` }, { projection: { conversationId: 1 } })
    )?.conversationId
  }
  /** The Message-ID of the family's only reply. */
  async function ourMessageId(): Promise<string> {
    const deliveries = mongo.db().collection('deliveries')
    return readUntil(
      async () => `${(await deliveries.findOne({ workspaceId, _id: /^rep_/ as never }))?.messageIdHeader ?? ''}`,
      (id) => id !== '',
    )
  }
  return { f, keys, owner, lovedOneId, conversationOf, ourMessageId, topic, firstId, arrive, check, page, clinicMail }
}

const words = (markup: string) => markup.replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' ')
const turnsOf = (page: string) =>
  page
    .split('<li class="turn theirs">')
    .slice(1)
    .map((turn) => turn.split('</details></li>')[0] ?? '')
const rowOf = (list: string, id: string) =>
  list.split('<li class="mail').find((row) => row.includes(`data-newest="${id}"`)) ?? ''
const references = ({ firstId }: World) => [`In-Reply-To: ${firstId}`, `References: ${firstId}`]

type Attempt = (world: World) => Mail & { address: string; name?: string }

const attempts: Record<string, Attempt> = {
  'a forged From': ({ topic }) => ({ subject: `Re: ${topic}`, address: CLINIC, name: 'Oakhill Clinic' }),
  'the clinic’s Message-ID': (world) => ({
    from: '"Oakhill Clinic" <billing@attacker.example>',
    subject: 'Deposit',
    fields: references(world),
    address: 'billing@attacker.example',
    name: 'Oakhill Clinic',
  }),
  'X-Original-From': ({ topic, ...world }) => ({
    from: '"Oakhill Clinic" <x1@attacker.example>',
    subject: `Re: ${topic}`,
    fields: [...references({ topic, ...world }), `X-Original-From: Oakhill Clinic <${CLINIC}>`, `Reply-To: ${CLINIC}`],
    address: 'x1@attacker.example',
    name: 'Oakhill Clinic',
  }),
  'X-Original-From as a group': (world) => ({
    from: 'x2@attacker.example',
    fields: [...references(world), `X-Original-From: Oakhill: ${CLINIC};`, `Sender: ${CLINIC}`],
    address: 'x2@attacker.example',
  }),
  'a name that is the clinic’s address': (world) => ({
    from: `"${CLINIC}" <x3@attacker.example>`,
    fields: references(world),
    address: 'x3@attacker.example',
  }),
  'a name that holds the clinic’s domain': (world) => ({
    from: '"Oakhill Clinic (oakhill.example)" <x4@attacker.example>',
    fields: references(world),
    address: 'x4@attacker.example',
  }),
  'an encoded name with a wide at sign': (world) => ({
    from: `=?utf-8?B?${Buffer.from('reception＠oakhill').toString('base64')}?= <x5@attacker.example>`,
    fields: references(world),
    address: 'x5@attacker.example',
  }),
  'a letter that looks alike': (world) => ({
    from: 'Oakhill Clinic <reception@oakhıll.example>',
    fields: references(world),
    address: 'reception@oakhıll.example',
    name: 'Oakhill Clinic',
  }),
  'a group in From': (world) => ({
    from: 'Oakhill Clinic: x6@attacker.example;',
    fields: [...references(world), `Sender: Oakhill Clinic <${CLINIC}>`],
    address: 'x6@attacker.example',
  }),
  'two authors': (world) => ({
    from: `x7@attacker.example, "Oakhill Clinic" <${CLINIC}>`,
    fields: references(world),
    address: 'x7@attacker.example',
  }),
  'the clinic in Sender and Reply-To': (world) => ({
    from: 'Oakhill Clinic <x8@attacker.example>',
    fields: [...references(world), `Sender: ${CLINIC}`, `Reply-To: Oakhill Clinic <${CLINIC}>`],
    address: 'x8@attacker.example',
    name: 'Oakhill Clinic',
  }),
}

for (const [title, attempt] of Object.entries(attempts))
  test(`a stranger with ${title} does not join the clinic’s conversation, and is shown as who they are`, async (t) => {
    const world = await newFamily(t.context)
    const clinic = await world.clinicMail()
    const before = world.conversationOf(clinic)
    const { address, name, ...mail } = attempt(world)
    const id = await world.arrive(mail)
    // Their own domain may well prove them.
    const verdicts: Verdict[] =
      address === CLINIC ? ['fail', undefined, 'none'] : ['verified', 'signed', 'fail', 'none']
    for (const verdict of verdicts) {
      await world.check(id, verdict)
      t.deepEqual(turnsOf(await world.page(clinic)), [], verdict)
      t.deepEqual(turnsOf(await world.page(id)), [], verdict)
    }
    t.is(await world.conversationOf(clinic), await before)

    const list = (await world.owner.get(`/inbox/${world.lovedOneId}`)).text
    const row = rowOf(list, id)
    t.not(rowOf(list, clinic), '', 'a row of its own')
    t.true(words(row).includes(address) && words(row).includes('Sender not verified'), row)
    t.is(row.includes('Oakhill Clinic'), name !== undefined)
    if (address !== CLINIC) t.false(row.includes(CLINIC))

    const next = (await world.owner.get(`/inbox/next?for=${world.lovedOneId}`)).text
    t.true(words(next).includes(`${address} ,`) && words(next).includes('Sender not verified'))
    const own = await world.page(id)
    t.regex(own, new RegExp(`<dt>From</dt><dd>(?:<strong>.*)?<bdi>${address}</bdi>`))
    t.true(words(own).includes('Sender not verified'))

    const args = { lovedOneId: world.lovedOneId, messageId: id }
    const { json } = await t.context.f.call(world.keys.owner, 'get_inbox_message', args)
    const { sender, originalSender, authenticity } = json.result.structuredContent
    t.deepEqual([sender, originalSender], [name === undefined ? address : `${name} <${address}>`, undefined])
    t.not(authenticity, 'verified')
  })

test('a small clinic that proves nothing joins by reference from the same address: marked, folded, without links', async (t) => {
  const world = await newFamily(t.context)
  const clinic = await world.clinicMail('none')
  const id = await world.arrive({ fields: references(world) })
  const strangers = [
    await world.arrive({ subject: `Re: ${world.topic}` }),
    await world.arrive({ from: 'Oakhill Clinic <billing@oakhill.example>', fields: references(world) }),
  ]
  for (const [verdict, word] of [
    [undefined, 'Checking sender'],
    ['fail', 'Sender check failed'],
    ['none', 'Sender not verified'],
  ] as const) {
    await world.check(id, verdict)
    const row = rowOf((await world.owner.get(`/inbox/${world.lovedOneId}`)).text, id)
    t.true(words(row).includes(word))
    await world.owner.submit(`/inbox/${world.lovedOneId}/${id}/unread`, {})
    const turns = turnsOf(await world.page(clinic))
    t.is(turns.length, 1)
    t.true(words(turns[0] ?? '').includes(word))
    t.true(words(turns[0] ?? '').includes(LINK), 'it can be read')
    t.notRegex(turns[0] ?? '', /<a href="http|<details[^>]* open/)
  }
  for (const stranger of strangers) t.deepEqual(turnsOf(await world.page(stranger)), [])
})

test('verified mail of the clinic, with a DMARC policy or without, is unfolded, with its links', async (t) => {
  for (const verdict of ['verified', 'signed'] as const) {
    const world = await newFamily(t.context)
    const clinic = await world.clinicMail(verdict)
    await world.check(await world.arrive({ fields: references(world) }), verdict)
    const other = { from: 'Oakhill Clinic <billing@oakhill.example>', fields: references(world) }
    await world.check(await world.arrive(other), verdict)
    const [own = '', billing = ''] = turnsOf(await world.page(clinic))
    t.regex(own, /<details[^>]* open/)
    t.true(own.includes(`<a href="${LINK}"`))
    t.regex(words(own), /Verified sender/)
    t.false(own.includes('From another address'))
    t.regex(words(billing), /billing@oakhill.example .*Verified sender From another address than this message/)
  }
})

test('whom our reply went to joins with proof of their domain only, and has no links beside the clinic’s mail', async (t) => {
  const world = await newFamily(t.context)
  const clinic = await world.arrive({
    fields: [`Message-ID: ${world.firstId}`, 'Reply-To: portal@vendor.example'],
    text: 'The MRI is on 3 May at 10:00.',
  })
  await world.check(clinic, 'verified')
  await t.context.f.call(world.keys.owner, 'reply_to_inbox_message', { messageId: clinic, body: 'We will come.' })
  const ours = await world.ourMessageId()
  const answer = (from: string) => world.arrive({ from, fields: [`In-Reply-To: ${ours}`, `References: ${ours}`] })
  const others = [
    'x@attacker.example',
    'portal@vendor.example',
    CLINIC,
    'Portal <portal@vendor.example.attacker.example>',
  ]
  for (const from of others) {
    const id = await answer(from)
    await world.check(id, from === CLINIC || from === 'portal@vendor.example' ? 'fail' : 'verified')
    t.deepEqual(turnsOf(await world.page(clinic)), [], from)
  }
  await world.check(await answer('Portal <help@vendor.example>'), 'verified')
  const [turn = '', ...more] = turnsOf(await world.page(clinic))
  t.is(more.length, 0)
  t.notRegex(turn, /<a href="http/)
  t.regex(words(turn), /Portal help@vendor.example .*Verified sender From another address than this message/)
})

test('an answer that names nothing joins the newest mail of that subject only', async (t) => {
  const world = await newFamily(t.context)
  const ids = [await world.clinicMail(), await world.arrive({ text: 'The MRI is on 4 May.' })]
  await world.check(ids[1] ?? '', 'verified')
  const bare = await world.arrive({ subject: `Re: ${world.topic}` })
  t.deepEqual(turnsOf(await world.page(bare)), [])
  await world.check(bare, 'verified')
  t.is(turnsOf(await world.page(ids[1] ?? '')).length, 1)
  t.is(turnsOf(await world.page(ids[0] ?? '')).length, 0)
})

test('the page of a mail whose sender is not verified is as before: its links can be opened', async (t) => {
  const world = await newFamily(t.context)
  const own = await world.page(await world.arrive({}))
  t.true(own.includes(`<a href="${LINK}"`))
})

test('an assistant gets the notes of mail of the same proven sender only, and none beside mail that proves nothing', async (t) => {
  const world = await newFamily(t.context)
  const { f, keys, owner, lovedOneId } = { ...t.context, ...world }
  const clinic = await world.clinicMail()
  const second = await world.arrive({ fields: references(world) })
  await world.check(second, 'verified')
  const billing = await world.arrive({ from: 'Oakhill <billing@oakhill.example>', fields: references(world) })
  await world.check(billing, 'signed')
  const stranger = await world.arrive({ from: 'Oakhill Clinic <x@attacker.example>', fields: references(world) })
  t.is(turnsOf(await world.page(clinic)).length, 2)
  await owner.submit('/settings/notes', { allowed: '1' })
  const secrets = [randomText(14), randomText(14), randomText(14)]
  const [ofClinic = '', ofStranger = '', ofSecond = ''] = secrets
  await note(owner, `/inbox/${lovedOneId}/${clinic}`, ofClinic)
  const read = async (messageId: string) => {
    const { text, json } = await f.call(keys.owner, 'get_inbox_message', { lovedOneId, messageId })
    const { notes, notesWithheld } = json.result.structuredContent
    return { notes: notes?.map((one: { text: string }) => one.text), notesWithheld, text }
  }
  t.like(await read(clinic), { notes: [ofClinic], notesWithheld: undefined })
  t.like(await read(second), { notes: [ofClinic], notesWithheld: undefined }, 'provably from the same address')
  t.like(await read(billing), { notes: undefined, notesWithheld: undefined }, 'another address')
  const answer = await read(stranger)
  t.like(answer, { notes: undefined, notesWithheld: undefined }, 'nothing that could be withheld')
  t.false(answer.text.includes(ofClinic))

  await note(owner, `/inbox/${lovedOneId}/${stranger}`, ofStranger)
  await note(owner, `/inbox/${lovedOneId}/${second}`, ofSecond)
  for (const verdict of ['none', 'fail', undefined] as const) {
    for (const id of [stranger, second]) {
      await world.check(id, verdict)
      const { text, ...none } = await read(id)
      t.deepEqual(none, { notes: undefined, notesWithheld: true })
      t.false(secrets.some((secret) => text.includes(secret)))
    }
    t.like(await read(clinic), { notes: [ofClinic], notesWithheld: undefined }, 'not those of mail that proves nothing')
  }
  for (const id of [stranger, second]) await world.check(id, 'verified')
  t.like(await read(stranger), { notes: [ofStranger], notesWithheld: undefined }, 'only its own')
  t.like(await read(second), { notes: [ofClinic, ofSecond], notesWithheld: undefined })
  await owner.submit('/settings/notes', {})
  await world.check(stranger, 'none')
  t.like(await read(stranger), { notes: undefined, notesWithheld: undefined })
  for (const secret of [ofClinic, ofSecond])
    t.true((await world.page(clinic)).includes(secret), 'members see all notes of a conversation')
  t.true((await world.page(stranger)).includes(ofStranger))
})

function note(owner: Visitor, path: string, text: string) {
  return owner.submit(`${path}/notes`, { note: text, key: text })
}
