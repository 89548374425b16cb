import { randomText } from '@family-inbox/service-kit/ids/ids'
import anyTest, { type TestFn } from 'ava'
import type { MongoClient } from 'mongodb'
import { openDatabase } from '../_database.ts'
import { type Guest, joinFamily } from '../_family.ts'
import { openMailer } from '../_mailer.ts'
import { signIn, type Visitor } from '../_visitor.ts'
import { until } from '../_wait.ts'

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
  const messages = mongo.db().collection<{ _id: string; messageIdHeader: string }>('messages')
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
    const waiting = { workspaceId, $or: [{ authenticityPending: true }, { indexPending: true }] }
    await until(async () => (await messages.countDocuments(waiting)) === 0)
    const row = await messages.findOne({ workspaceId, messageIdHeader: messageId } as never)
    return row?._id.split('/').at(-1) ?? ''
  }

  /** As checks would leave it: tests have no DNS. Without a verdict, the check has not ended. */
  async function check(id: string, dmarc: string | undefined) {
    const authenticity = { spf: 'none', dkim: 'none', dmarc, arc: 'none', aligned: dmarc === 'pass' }
    const change = dmarc === undefined ? { $unset: { authenticity: 1 } } : { $set: { authenticity } }
    await messages.updateOne({ _id: `${workspaceId}/${lovedOneId}/${id}` }, change as never)
  }

  const page = async (id: string) => (await owner.get(`/inbox/${lovedOneId}/${id}`)).text
  /** The clinic's mail, which passed its checks. */
  async function clinicMail(): Promise<string> {
    const id = await arrive({ fields: [`Message-ID: ${firstId}`], text: 'The MRI is on 3 May at 10:00.' })
    await check(id, 'pass')
    return id
  }
  return { f, keys, owner, lovedOneId, topic, firstId, arrive, check, page, clinicMail }
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
  test(`a stranger who joins with ${title} is shown as who they are: address, check, no link, folded`, async (t) => {
    const world = await newFamily(t.context)
    const clinic = await world.clinicMail()
    const { address, name, ...mail } = attempt(world)
    const id = await world.arrive(mail)
    const turns = turnsOf(await world.page(clinic))
    t.is(turns.length, 1)
    const [turn = ''] = turns
    t.notRegex(turn, /<a href="http/, 'no link')
    t.notRegex(turn, /<details[^>]* open/, 'folded although unread')
    t.true(words(turn).includes(LINK), 'it can be read')
    t.regex(words(turn), new RegExp(`^ (?:${name} )?${address} `), 'the address')
    t.true(words(turn).includes('Sender not verified'))
    t.is(words(turn).includes('From another address than this message'), address !== CLINIC)
    if (address !== CLINIC) t.false(turn.includes(CLINIC))

    const row = rowOf((await world.owner.get(`/inbox/${world.lovedOneId}`)).text, id)
    t.true(words(row).includes(address) && words(row).includes('Sender not verified'), row)
    t.is(row.includes('Oakhill Clinic'), name !== undefined)
    if (address !== CLINIC) t.false(row.includes(CLINIC))

    const next = (await world.owner.get(`/inbox/next?for=${world.lovedOneId}`)).text
    t.true(words(next).includes(`${address} ,`) && words(next).includes('Sender not verified'))
    const own = await world.page(id)
    t.regex(own, new RegExp(`<p class="who">(?:<strong>.*)?<bdi>${address}</bdi>`))
    t.true(words(own).includes('Sender not verified'))

    const args = { lovedOneId: world.lovedOneId, messageId: id }
    const { json } = await t.context.f.call(world.keys.owner, 'get_inbox_message', args)
    const { sender, originalSender, authenticity } = json.result.structuredContent
    t.deepEqual([sender, originalSender], [name === undefined ? address : `${name} <${address}>`, undefined])
    t.not(authenticity, 'verified')
  })

test('while a sender is being checked, and if the check fails, their mail has no link and stays folded', async (t) => {
  const world = await newFamily(t.context)
  const clinic = await world.clinicMail()
  const id = await world.arrive({ fields: references(world) })
  for (const [dmarc, word] of [
    [undefined, 'Checking sender'],
    ['fail', 'Sender check failed'],
    ['none', 'Sender not verified'],
  ] as const) {
    await world.check(id, dmarc)
    const row = rowOf((await world.owner.get(`/inbox/${world.lovedOneId}`)).text, id)
    t.true(words(row).includes(word))
    await world.owner.submit(`/inbox/${world.lovedOneId}/${id}/unread`, {})
    const [turn = ''] = turnsOf(await world.page(clinic))
    t.true(words(turn).includes(word))
    t.notRegex(turn, /<a href="http|<details[^>]* open/)
  }
})

test('verified mail of the same sender is unfolded, with its links; of another domain, it has none', async (t) => {
  const world = await newFamily(t.context)
  const clinic = await world.clinicMail()
  await world.check(await world.arrive({ fields: references(world) }), 'pass')
  const other = { from: 'Oakhill Clinic <x@attacker.example>', fields: references(world) }
  await world.check(await world.arrive(other), 'pass')
  const [own = '', stranger = ''] = turnsOf(await world.page(clinic))
  t.regex(own, /<details[^>]* open/)
  t.true(own.includes(`<a href="${LINK}"`))
  t.regex(words(own), /Verified sender/)
  t.false(own.includes('From another address'))
  t.notRegex(stranger, /<a href="http/)
  t.regex(words(stranger), /Oakhill Clinic x@attacker.example .*Verified sender From another address than this message/)
})

test('the page of a mail whose sender is not verified is as before: its links can be opened', async (t) => {
  const world = await newFamily(t.context)
  const own = await world.page(await world.arrive({}))
  t.true(own.includes(`<a href="${LINK}"`))
})

test('an assistant gets the notes of the very message only, and none beside mail of an unproven sender', async (t) => {
  const world = await newFamily(t.context)
  const { f, keys, owner, lovedOneId } = { ...t.context, ...world }
  const clinic = await world.clinicMail()
  const stranger = await world.arrive({ from: 'Oakhill Clinic <x@attacker.example>', fields: references(world) })
  await owner.submit('/settings/notes', { allowed: '1' })
  const secrets = [randomText(14), randomText(14)]
  await note(owner, `/inbox/${lovedOneId}/${clinic}`, secrets[0] ?? '')
  const read = async (messageId: string) => {
    const { text, json } = await f.call(keys.owner, 'get_inbox_message', { lovedOneId, messageId })
    const { notes, notesWithheld } = json.result.structuredContent
    return { notes: notes?.map((one: { text: string }) => one.text), notesWithheld, text }
  }
  t.like(await read(clinic), { notes: [secrets[0]], notesWithheld: undefined })
  const second = await read(stranger)
  t.like(second, { notes: undefined, notesWithheld: undefined }, 'nothing that could be withheld')
  t.false(second.text.includes(secrets[0] ?? ''))

  await note(owner, `/inbox/${lovedOneId}/${stranger}`, secrets[1] ?? '')
  for (const dmarc of ['none', 'fail', undefined]) {
    await world.check(stranger, dmarc)
    const { text, ...answer } = await read(stranger)
    t.deepEqual(answer, { notes: undefined, notesWithheld: true })
    t.false(secrets.some((secret) => text.includes(secret)))
  }
  await world.check(stranger, 'pass')
  t.like(await read(stranger), { notes: [secrets[1]], notesWithheld: undefined }, 'only its own')
  await owner.submit('/settings/notes', {})
  await world.check(stranger, 'none')
  t.like(await read(stranger), { notes: undefined, notesWithheld: undefined })
  for (const id of [clinic, stranger])
    for (const secret of secrets) t.true((await world.page(id)).includes(secret), 'members see all notes')
})

function note(owner: Visitor, path: string, text: string) {
  return owner.submit(`${path}/notes`, { note: text, key: text })
}
