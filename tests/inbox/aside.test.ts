import { Role } from '@family-inbox/proto/carecircle/v1/care_circle'
import {
  AsidePlace,
  ConversationStatus,
  ConversationView,
  type SetMessageAsideRequest,
  StatusAction,
} from '@family-inbox/proto/inbox/v1/inbox'
import { randomText } from '@family-inbox/service-kit/ids/ids'
import anyTest, { type TestFn } from 'ava'
import { UNJOINED } from '../_checked.ts'
import { statusOf, untilAnswered } from '../_outcome.ts'
import { findOpened } from '../_sealed.ts'
import type { SharedStack } from '../_shared-stack.ts'
import { until } from '../_wait.ts'
import {
  EVERYTHING,
  type Family,
  joinPostOffice,
  type LovedOne,
  type NewMember,
  type PostOffice,
} from './_post-office.ts'
import { deliver } from './_smtp-client.ts'

type Office = PostOffice<SharedStack>
type World = Family & { lovedOne: LovedOne; tom: NewMember; secret: string }

const test = anyTest as TestFn<Office>

test.before(async (t) => {
  t.context = await joinPostOffice()
})
test.after.always((t) => (t.context as Partial<Office>)[Symbol.asyncDispose]?.())

type Mail = { id: string; from?: string; names?: string; body?: string; to?: LovedOne }

/** @returns the answer of SMTP */
async function send(office: Office, world: World, mail: Mail): Promise<string> {
  const { id, from = 'Desk <desk@clinic.example>', names, body = `This is ${id}.`, to = world.lovedOne } = mail
  const raw = [
    `From: ${from}`,
    `Subject: About ${id} ${world.secret}`,
    `Message-ID: <${id}.${world.secret}@clinic.example>`,
    'Date: Wed, 25 Nov 2026 10:00:00 +0000',
    ...(names ? [`In-Reply-To: <${names}.${world.secret}@clinic.example>`] : []),
    '',
    `${body} ${world.secret}`,
    '',
  ].join('\r\n')
  return deliver(office.stack.smtpPort, to.address, raw)
}

async function settled({ db }: Office, { workspaceId }: Family): Promise<void> {
  await until(async () => (await db.collection('messages').countDocuments({ workspaceId, ...UNJOINED })) === 0)
}

/** A family with a coordinator, Tom, and this mail. All of it has one word that is nowhere else. */
async function newWorld(office: Office, mails: Mail[], lovedOnes = 1): Promise<World> {
  const family = await office.family(lovedOnes)
  const tom = await office.join(family, Role.COORDINATOR, 'Tom Santos')
  const world = { ...family, lovedOne: family.lovedOnes[0] as LovedOne, tom, secret: `zq${randomText(14)}` }
  for (const mail of mails) await send(office, world, mail)
  await settled(office, family)
  return world
}

const browse = (office: Office, token: string, wanted = {}) =>
  untilAnswered(() => office.inbox.browseMessages({ ...EVERYTHING, ...wanted }, { token }))

const subjects = async (office: Office, token: string, wanted = {}) =>
  (await browse(office, token, wanted)).entries.map(({ message }) => message?.subject.split(' ')[1])

async function idOf(office: Office, { owner, lovedOne }: World, id: string): Promise<string> {
  const { messages } = await untilAnswered(() =>
    office.inbox.listInboxMessages({ lovedOneId: lovedOne.id, pageSize: 50, pageToken: '' }, { token: owner }),
  )
  return messages.find(({ subject }) => subject.startsWith(`About ${id} `))?.id ?? ''
}

const JUNK = { place: AsidePlace.JUNK, onlyThis: false, now: false }
const DELETED = { ...JUNK, place: AsidePlace.DELETED }

const move = (
  office: Office,
  { lovedOne }: World,
  token: string,
  messageId: string,
  to: Omit<SetMessageAsideRequest, 'messageId' | 'lovedOneId'>,
) => untilAnswered(() => office.inbox.setMessageAside({ messageId, lovedOneId: lovedOne.id, ...to }, { token }))

const restore = (office: Office, { lovedOne }: World, token: string, messageId: string) =>
  untilAnswered(() => office.inbox.restoreMessage({ messageId, lovedOneId: lovedOne.id }, { token }))

async function aside(office: Office, token: string, place: AsidePlace, search = '') {
  const { messages } = await untilAnswered(() =>
    office.inbox.listMessagesAside({ place, pageSize: 0, pageToken: '', search }, { token }),
  )
  return messages.map(({ subject, messages: count, movedBy }) => [subject.split(' ')[1], count, movedBy])
}

/** Every collection of inbox that has this word anywhere. */
async function whereIs({ db }: Office, word: string): Promise<string[]> {
  const found: string[] = []
  for (const { name } of await db.listCollections().toArray())
    for await (const row of db.collection(name).find({}, { raw: true }))
      if ((row as unknown as Buffer).includes(word)) {
        found.push(name)
        break
      }
  return found
}

test('a conversation in Junk is in no list, count, search or tool, and comes back as it was, with its status and notes', async (t) => {
  const office = t.context
  const world = await newWorld(office, [{ id: 'first' }, { id: 'second', names: 'first' }, { id: 'other' }])
  const { owner, tom, lovedOne, secret } = world
  const messageId = await idOf(office, world, 'second')
  const ids = { messageId, lovedOneId: lovedOne.id }
  const before = await browse(office, owner)
  await untilAnswered(() =>
    office.inbox.addNote({ ...ids, text: 'Keep this', idempotencyKey: 'k', namedPersonIds: [] }, { token: owner }),
  )
  await untilAnswered(() =>
    office.inbox.changeStatus(
      { ...ids, action: StatusAction.TAKE, assigneeId: '', seenAssigneeId: '' },
      { token: tom.token },
    ),
  )
  const count = before.entries.find(({ message }) => message?.id === messageId)?.turnCount ?? 0
  t.true(count >= 1)
  t.is((await move(office, world, owner, messageId, JUNK)).messages, count)

  t.false((await subjects(office, owner)).includes('second'))
  t.false((await subjects(office, owner, { search: secret })).includes('second'))
  t.deepEqual(await subjects(office, tom.token, { view: ConversationView.MINE }), [])
  t.is((await browse(office, tom.token)).counts?.mine, 0)
  t.is(await statusOf(office.inbox.getInboxMessage(ids, { token: owner })), 'NOT_FOUND')
  t.is(await idOf(office, world, 'second'), '')
  t.deepEqual(
    (await aside(office, world.viewer, AsidePlace.JUNK)).map(([subject, , by]) => [subject, by]),
    [['second', 'Ines Santos']],
    'a member can look',
  )

  await restore(office, world, tom.token, messageId)
  await restore(office, world, tom.token, messageId)
  await settled(office, world)
  t.deepEqual(await aside(office, owner, AsidePlace.JUNK), [])
  t.true((await subjects(office, owner, { search: `"second ${secret}"` })).includes('second'))
  const opened = await untilAnswered(() => office.inbox.openMessage({ ...ids, markRead: false }, { token: owner }))
  t.deepEqual(
    opened.notes.map(({ text }) => text),
    ['Keep this'],
  )
  t.is(opened.message?.state?.status, ConversationStatus.TAKEN)
  t.is(opened.message?.state?.assigneeName, 'Tom Santos')
  const after = await browse(office, owner)
  t.deepEqual(after.counts, { ...before.counts, open: after.counts?.open ?? 0 })
  t.is(after.entries.find(({ message }) => message?.id === messageId)?.turnCount, count)
})

test('owner and coordinators move and delete, viewers only look into Junk, and another family finds nothing', async (t) => {
  const office = t.context
  const world = await newWorld(office, [{ id: 'one' }, { id: 'two' }])
  const stranger = await newWorld(office, [])
  const [one, two] = [await idOf(office, world, 'one'), await idOf(office, world, 'two')]
  const { lovedOne, owner, viewer } = world
  t.is(await statusOf(move(office, world, viewer, one, DELETED)), 'PERMISSION_DENIED')
  t.is(await statusOf(move(office, world, stranger.owner, one, DELETED)), 'NOT_FOUND')
  t.is(await statusOf(move(office, { ...world, lovedOne: stranger.lovedOne }, stranger.owner, one, JUNK)), 'NOT_FOUND')
  await move(office, world, owner, one, DELETED)
  await move(office, world, owner, two, JUNK)
  const open = (token: string, messageId: string) =>
    untilAnswered(() => office.inbox.openMessageAside({ messageId, lovedOneId: lovedOne.id }, { token }))
  t.true((await open(owner, one)).body.includes('This is one.'))
  t.true((await open(viewer, two)).body.includes('This is two.'))
  t.is(await statusOf(open(viewer, one)), 'NOT_FOUND')
  t.is(await statusOf(aside(office, viewer, AsidePlace.DELETED)), 'PERMISSION_DENIED')
  for (const id of [one, two]) {
    t.is(await statusOf(restore(office, world, viewer, id)), 'PERMISSION_DENIED')
    t.is(await statusOf(open(stranger.owner, id)), 'NOT_FOUND')
    t.is(await statusOf(restore(office, world, stranger.owner, id)), 'NOT_FOUND')
    const own = { messageId: id, lovedOneId: stranger.lovedOne.id }
    t.is(await statusOf(untilAnswered(() => office.inbox.restoreMessage(own, { token: stranger.owner }))), 'NOT_FOUND')
    await untilAnswered(() => office.inbox.purgeMessage(own, { token: stranger.owner }))
  }
  t.deepEqual(await aside(office, stranger.owner, AsidePlace.DELETED), [])
  t.deepEqual(await aside(office, owner, AsidePlace.DELETED), [['one', 1, 'Ines Santos']])
  t.deepEqual(await aside(office, owner, AsidePlace.JUNK), [['two', 1, 'Ines Santos']])
})

test('two members who move a message at the same moment, and two who put it back, leave it in one place', async (t) => {
  const office = t.context
  const mails = Array.from({ length: 12 }, (_, index) => ({ id: `race${index}` }))
  const world = await newWorld(office, mails)
  const { owner, tom, workspaceId } = world
  for (const [index, { id }] of mails.entries()) {
    const messageId = await idOf(office, world, id)
    const orders = index % 2 === 0 ? [JUNK, DELETED] : [DELETED, JUNK]
    const tokens = [owner, tom.token]
    await Promise.all(
      orders.map((to, at) => move(office, world, tokens[at] ?? '', messageId, to).catch(() => undefined)),
    )
    t.is(await office.db.collection<{ _id: string }>('messages').countDocuments({ _id: new RegExp(messageId) }), 0)
    t.is(
      await office.db.collection<{ _id: string }>('messages_aside').countDocuments({ _id: new RegExp(messageId) }),
      1,
    )
    await Promise.all([owner, tom.token].map((token) => restore(office, world, token, messageId)))
  }
  await settled(office, world)
  t.is(await office.db.collection('messages').countDocuments({ workspaceId }), mails.length)
  t.is(await office.db.collection('messages_aside').countDocuments({ workspaceId }), 0)
  t.is((await subjects(office, owner)).length, mails.length)
})

test('of two who delete for good and put back at the same moment, a message is whole or gone, and an assistant does neither', async (t) => {
  const office = t.context
  const mails = Array.from({ length: 10 }, (_, index) => ({ id: `end${index}` }))
  const world = await newWorld(office, mails)
  const { owner, tom, lovedOne, workspaceId } = world
  const assistant = await office.throughAssistant(owner)
  const purge = (token: string, messageId: string) =>
    untilAnswered(() => office.inbox.purgeMessage({ messageId, lovedOneId: lovedOne.id }, { token }))
  const rows = (name: string, messageId: string) =>
    office.db.collection<{ _id: string }>(name).countDocuments({ _id: new RegExp(messageId) })
  let purged = 0
  for (const [index, { id }] of mails.entries()) {
    const messageId = await idOf(office, world, id)
    t.is(await statusOf(move(office, world, assistant, messageId, DELETED)), 'PERMISSION_DENIED')
    await move(office, world, owner, messageId, DELETED)
    for (const call of [purge(assistant, messageId), restore(office, world, assistant, messageId)])
      t.is(await statusOf(call), 'PERMISSION_DENIED')
    // Every other time two delete for good, and nobody puts it back.
    const other = index % 2 === 0 ? purge(tom.token, messageId) : restore(office, world, tom.token, messageId)
    await Promise.all([purge(owner, messageId), other.catch(() => undefined)])
    await until(async () => (await rows('messages_aside', messageId)) === 0)
    const kept = await rows('messages', messageId)
    if (index % 2 === 0) t.is(kept, 0)
    if (kept === 0) t.deepEqual(await whereIs(office, messageId), [])
    purged += 1 - kept
  }
  await settled(office, world)
  const left = await subjects(office, owner)
  t.is(left.length, mails.length - purged)
  t.is(await office.db.collection('messages').countDocuments({ workspaceId }), left.length)
})

test('mail from a blocked sender is accepted, waits in Junk, and reaches no list, until somebody unblocks them', async (t) => {
  const office = t.context
  const world = await newWorld(office, [{ id: 'before' }])
  const { owner, viewer, workspaceId } = world
  const block = (sender: string, token = owner, allowed = false) =>
    untilAnswered(() => office.inbox.blockSender({ sender, allowed }, { token }))
  t.is(await statusOf(block('offers@shop.example', viewer)), 'PERMISSION_DENIED')
  for (const wrong of ['', 'shop.example', '@', '@example', '@a b.example', 'x@@shop.example'])
    t.is(await statusOf(block(wrong)), 'INVALID_ARGUMENT', wrong)
  await block('Offers@Shop.example')
  await block('offers@shop.example')
  await block('@ads.example')
  const { blocked } = await untilAnswered(() => office.inbox.getSenderFilter({}, { token: viewer }))
  t.deepEqual(
    blocked.map(({ sender, blockedBy }) => [sender, blockedBy]),
    [
      ['@ads.example', 'Ines Santos'],
      ['offers@shop.example', 'Ines Santos'],
    ],
  )

  const offer = { id: 'offer', from: '"Clinic" <OFFERS@shop.example>' }
  for (let again = 0; again < 2; again += 1) t.regex(await send(office, world, offer), /^250/)
  t.regex(await send(office, world, { id: 'ad', from: 'x@mail.ads.example' }), /^250/)
  t.regex(await send(office, world, { id: 'order', from: 'orders@shop.example' }), /^250/)
  await settled(office, world)
  t.deepEqual((await subjects(office, owner)).sort(), ['before', 'order'])
  t.deepEqual((await aside(office, owner, AsidePlace.JUNK)).sort(), [
    ['ad', 1, ''],
    ['offer', 1, ''],
  ])
  t.is(await office.db.collection('messages_aside').countDocuments({ workspaceId }), 2)

  await block('offers@shop.example', owner, true)
  await send(office, world, { ...offer, id: 'later' })
  t.regex(await send(office, world, offer), /^250/)
  await settled(office, world)
  t.deepEqual(
    (await subjects(office, owner)).sort(),
    ['before', 'later', 'order'],
    'a copy of what is in Junk stays there',
  )
  const { messages } = await untilAnswered(() =>
    office.inbox.listMessagesAside(
      { place: AsidePlace.JUNK, pageSize: 0, pageToken: '', search: '' },
      { token: owner },
    ),
  )
  const kept = messages.find(({ subject }) => subject.startsWith('About offer '))
  await restore(office, world, owner, kept?.id ?? '')
  await settled(office, world)
  const open = await subjects(office, owner, { view: ConversationView.OPEN })
  t.true(open.includes('offer'), 'it is open, as if it had just arrived')
})

test('an inbox with a list of senders takes mail of those and of members, and another inbox takes all', async (t) => {
  const office = t.context
  const world = await newWorld(office, [], 2)
  const { owner, viewer, lovedOne, lovedOnes } = world
  const set = (senders: string[], token = owner, on = true) =>
    untilAnswered(() => office.inbox.setOnlySenders({ only: { lovedOneId: lovedOne.id, on, senders } }, { token }))
  t.is(await statusOf(set(['@clinic.example'], viewer)), 'PERMISSION_DENIED')
  t.is(await statusOf(set([])), 'INVALID_ARGUMENT')
  t.is(await statusOf(set(['clinic'])), 'INVALID_ARGUMENT')
  await set(['desk@clinic.example', '@pharmacy.example', 'Desk@clinic.example'])
  const { only } = await untilAnswered(() => office.inbox.getSenderFilter({}, { token: viewer }))
  t.deepEqual(only, [{ lovedOneId: lovedOne.id, on: true, senders: ['desk@clinic.example', '@pharmacy.example'] }])

  const other = lovedOnes[1] as LovedOne
  for (const mail of [
    { id: 'listed' },
    { id: 'by-domain', from: 'ready@pharmacy.example' },
    { id: 'unlisted', from: 'x@shop.example' },
    { id: 'elsewhere', from: 'x@shop.example', to: other },
  ])
    t.regex(await send(office, world, mail), /^250/)
  await settled(office, world)
  t.deepEqual((await subjects(office, owner)).sort(), ['by-domain', 'elsewhere', 'listed'])
  t.deepEqual(await aside(office, owner, AsidePlace.JUNK), [['unlisted', 1, '']])
  await set(['desk@clinic.example'], owner, false)
  await send(office, world, { id: 'all-again', from: 'x@shop.example' })
  await settled(office, world)
  t.true((await subjects(office, owner)).includes('all-again'))
})

test('members who block senders at the same moment are all heard, of two lists one counts whole, and nobody sets a list for another family', async (t) => {
  const office = t.context
  const [world, stranger] = [await newWorld(office, []), await newWorld(office, [])]
  const { owner, tom } = world
  const block = (sender: string, token: string) =>
    untilAnswered(() => office.inbox.blockSender({ sender, allowed: false }, { token }))
  const [shop, lotto] = ['offers@shop.example', '@lotto.example']
  await Promise.all([block(shop, owner), block(shop, tom.token), block(lotto, owner), block(lotto, tom.token)])
  const filterOf = (token: string) => untilAnswered(() => office.inbox.getSenderFilter({}, { token }))
  const lovedOneId = world.lovedOne.id
  const only = (token: string, senders: string[]) =>
    untilAnswered(() => office.inbox.setOnlySenders({ only: { lovedOneId, on: true, senders } }, { token }))
  const lists = [['desk@clinic.example'], ['@pharmacy.example', '@lab.example']]
  for (let round = 0; round < 6; round += 1) {
    await Promise.all([only(owner, lists[0] ?? []), only(tom.token, lists[1] ?? [])])
    const rules = (await filterOf(owner)).only
    t.is(rules.length, 1)
    t.true(
      lists.some((list) => JSON.stringify(list) === JSON.stringify(rules[0]?.senders)),
      'one of the two, whole',
    )
  }
  t.deepEqual((await filterOf(owner)).blocked.map(({ sender }) => sender).sort(), [lotto, shop].sort())
  t.deepEqual((await filterOf(stranger.owner)).blocked, [])
  const set = (lovedOneId: string) =>
    statusOf(office.inbox.setOnlySenders({ only: { lovedOneId, on: true, senders: [shop] } }, { token: owner }))
  t.is(await set(stranger.lovedOne.id), await set('lo_none'))
  t.not(await set(stranger.lovedOne.id), undefined)
})

test('members search Junk page by page, owner and coordinators Deleted, and the search of the inbox finds neither', async (t) => {
  const office = t.context
  const mails = ['one', 'two', 'three'].map((id) => ({ id, body: 'Your prescription: Pülverchen 5 mg.' }))
  const other = { id: 'other', from: 'Lotto <win@lotto.example>' }
  const world = await newWorld(office, [
    ...mails,
    other,
    { ...other, id: 'answer', names: 'other', body: 'You won a voucher.' },
  ])
  const { owner, viewer, secret } = world
  for (const { id } of [...mails, other]) await move(office, world, owner, await idOf(office, world, id), JUNK)
  const find = async (search: string, token = viewer) =>
    (await aside(office, token, AsidePlace.JUNK, search)).map(([id]) => id)
  t.deepEqual(await find('pulverchen'), ['three', 'two', 'one'], 'by its text, moved last first')
  t.deepEqual(await find('"About two"'), ['two'], 'by its subject')
  t.deepEqual(await find('lotto'), ['answer'], 'by its sender, with what was moved together')
  t.deepEqual(await find('voucher'), ['answer'])
  t.deepEqual(await find('pulverchen lotto'), [], 'all words')
  t.deepEqual(await find('.*'), [])
  t.is(
    await statusOf(
      office.inbox.listMessagesAside(
        { place: AsidePlace.JUNK, pageSize: 0, pageToken: '', search: 'x'.repeat(201) },
        { token: owner },
      ),
    ),
    'INVALID_ARGUMENT',
  )

  const page = (pageToken: string) =>
    untilAnswered(() =>
      office.inbox.listMessagesAside(
        { place: AsidePlace.JUNK, pageSize: 2, pageToken, search: 'Pülverchen' },
        { token: viewer },
      ),
    )
  const first = await page('')
  t.is(first.messages.length, 2)
  const second = await page(first.nextPageToken)
  t.deepEqual([second.messages.length, second.nextPageToken], [1, ''])

  t.deepEqual(await subjects(office, owner, { search: 'pulverchen' }), [])
  const left = await findOpened(office.stack, office.db, 'index_entries', {}, ({ words }) =>
    `${words}`.includes(secret),
  )
  t.deepEqual(left, [])
  const stranger = await newWorld(office, [])
  t.deepEqual(await aside(office, stranger.owner, AsidePlace.JUNK, 'pulverchen'), [])
  await restore(office, world, owner, first.messages[0]?.id ?? '')
  await settled(office, world)
  await move(office, world, owner, first.messages[0]?.id ?? '', DELETED)
  t.deepEqual(await find('pulverchen'), ['two', 'one'])
  t.is((await aside(office, world.tom.token, AsidePlace.DELETED, 'pulverchen')).length, 1)
  const refused = { place: AsidePlace.DELETED, pageSize: 0, pageToken: '', search: 'pulverchen' }
  t.is(await statusOf(office.inbox.listMessagesAside(refused, { token: viewer })), 'PERMISSION_DENIED')
})

test('what is deleted for good is in no collection, not even in a search word, and a copy of deleted mail stays deleted', async (t) => {
  const office = t.context
  const long = Array.from({ length: 3000 }, () => 'A long letter about many things.').join(' ')
  const world = await newWorld(office, [{ id: 'gone', body: long }, { id: 'kept' }])
  const { owner, tom, lovedOne, workspaceId, secret } = world
  const messageId = await idOf(office, world, 'gone')
  const ids = { messageId, lovedOneId: lovedOne.id }
  await untilAnswered(() =>
    office.inbox.addNote(
      { ...ids, text: `Note ${secret}`, idempotencyKey: '', namedPersonIds: [] },
      { token: tom.token },
    ),
  )
  await untilAnswered(() =>
    office.inbox.saveDraft({ ...ids, body: `Draft ${secret}`, idempotencyKey: randomText(8) }, { token: owner }),
  )
  t.is(await office.db.collection<{ _id: string }>('originals').countDocuments({ _id: new RegExp(workspaceId) }), 1)
  await move(office, world, owner, messageId, DELETED)
  t.regex(await send(office, world, { id: 'gone', body: long }), /^250/, 'the sender tries again')
  t.deepEqual(await subjects(office, owner), ['kept'])

  const kept = await idOf(office, world, 'kept')
  await move(office, world, owner, kept, { ...DELETED, now: true })
  await untilAnswered(() => office.inbox.purgeMessage(ids, { token: tom.token }))
  t.deepEqual(await aside(office, owner, AsidePlace.DELETED), [])
  t.is(await statusOf(office.inbox.openMessageAside(ids, { token: owner })), 'NOT_FOUND')
  t.is(await statusOf(office.inbox.restoreMessage(ids, { token: owner })), 'NOT_FOUND')
  await until(async () => (await office.db.collection('messages_aside').countDocuments({ workspaceId })) === 0)
  t.is(await office.db.collection<{ _id: string }>('originals').countDocuments({ _id: new RegExp(workspaceId) }), 0)
  await untilAnswered(() => office.inbox.purgeMessage(ids, { token: owner }))
  t.deepEqual(await whereIs(office, secret), [])
  t.deepEqual(await whereIs(office, messageId), [])
})

test('after 30 days in Deleted, a message is deleted for good, and the bytes of a letter in another conversation stay', async (t) => {
  const office = t.context
  const long = Array.from({ length: 3000 }, () => 'The same long letter.').join(' ')
  const world = await newWorld(office, [{ id: 'old', body: long }])
  const { owner, workspaceId } = world
  const messageId = await idOf(office, world, 'old')
  await move(office, world, owner, messageId, DELETED)
  const rows = office.db.collection('messages_aside')
  const row = await rows.findOne({ workspaceId })
  const days = (row?.purgeAt.getTime() - row?.movedAt.getTime()) / 86_400_000
  t.is(days, 30)
  // The same bytes in the inbox, as after a change of what makes two deliveries the same.
  const { message } = row as unknown as { message: { _id: string } }
  await office.db.collection<{ _id: string }>('messages').insertOne({ ...message, _id: `${message._id}x` })
  await rows.updateOne({ workspaceId }, { $set: { purgeAt: new Date() } })
  await until(async () => {
    await untilAnswered(() =>
      office.inbox.purgeMessage({ messageId: 'none', lovedOneId: world.lovedOne.id }, { token: owner }),
    )
    return (await rows.countDocuments({ workspaceId })) === 0
  })
  t.is(await office.db.collection<{ _id: string }>('originals').countDocuments({ _id: new RegExp(workspaceId) }), 1)
})

test('a reply that was accepted is sent, though its message is deleted at once, and then both are gone', async (t) => {
  const office = t.context
  const world = await newWorld(office, [{ id: 'asked' }])
  const { owner, lovedOne, workspaceId, secret } = world
  const messageId = await idOf(office, world, 'asked')
  const ids = { messageId, lovedOneId: lovedOne.id }
  const { replyId } = await untilAnswered(() =>
    office.inbox.replyToMessage(
      { ...ids, body: `Not for us ${secret}`, idempotencyKey: randomText(8), undoSeconds: 1 },
      { token: owner },
    ),
  )
  await move(office, world, owner, messageId, { ...DELETED, onlyThis: true, now: true })
  t.deepEqual(await aside(office, owner, AsidePlace.DELETED), [])
  await until(async () => (await office.db.collection('messages_aside').countDocuments({ workspaceId })) === 0)
  const delivery = await office.db.collection<{ _id: string; state: string }>('deliveries').findOne({ _id: replyId })
  t.is(delivery?.state, 'sent')
  t.deepEqual(await whereIs(office, secret), [])
})
