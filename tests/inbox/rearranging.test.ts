import { Role } from '@family-inbox/proto/carecircle/v1/care_circle'
import { ConversationStatus, RearrangementKind, StatusAction } from '@family-inbox/proto/inbox/v1/inbox'
import { randomText } from '@family-inbox/service-kit/ids/ids'
import type { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import anyTest, { type TestFn } from 'ava'
import type { MongoClient } from 'mongodb'
import { setCheck, untilJoined } from '../_checked.ts'
import { openDatabase } from '../_database.ts'
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

type Office = PostOffice<SharedStack> & { mongo: MongoClient }
type World = Family & { rosa: LovedOne; joe: LovedOne; tom: NewMember; secret: string }
type Mail = { id: string; from?: string; fields?: string[]; body?: string; to?: LovedOne }

const test = anyTest as TestFn<Office>

test.before(async (t) => {
  const office = await joinPostOffice()
  t.context = { ...office, mongo: await openDatabase(office.stack, 'inbox') }
})
test.after.always(async (t) => {
  const opened = t.context as Partial<Office>
  await opened.mongo?.close()
  await opened[Symbol.asyncDispose]?.()
})

const IN_A_MONTH = new Date(Date.now() + 30 * 86_400_000).toISOString().slice(0, 10)

const idOf = (world: World, id: string) => `<${id}.${world.secret}@clinic.example>`
const answers = (world: World, ...ids: string[]) => [
  `In-Reply-To: ${idOf(world, ids.at(-1) ?? '')}`,
  `References: ${ids.map((id) => idOf(world, id)).join(' ')}`,
]

/** @returns the id of the message, once it has joined its conversation */
async function send(office: Office, world: World, mail: Mail): Promise<string> {
  const { id, from = 'Desk <desk@clinic.example>', fields = [], body = `This is ${id}.`, to = world.rosa } = mail
  const lines = [
    `From: ${from}`,
    `Subject: About ${id} ${world.secret}`,
    `Message-ID: ${idOf(world, id)}`,
    ...fields,
    '',
    `${body} ${world.secret}`,
    '',
  ]
  t250(await deliver(office.stack.smtpPort, to.address, lines.join('\r\n')))
  await untilJoined(office.mongo, world.workspaceId)
  const row = await messages(office).findOne({ workspaceId: world.workspaceId, messageIdHeader: idOf(world, id) })
  return row?._id.split('/').at(-1) ?? ''
}

function t250(answer: string): void {
  if (!answer.startsWith('250')) throw new Error(answer)
}

const messages = ({ db }: Office) =>
  db.collection<{ _id: string; messageIdHeader: string; conversationId: string; lovedOneId: string }>('messages')

async function newWorld(office: Office): Promise<World> {
  const family = await office.family(2)
  const tom = await office.join(family, Role.COORDINATOR, 'Tom Santos')
  const [rosa, joe] = family.lovedOnes as [LovedOne, LovedOne]
  return { ...family, rosa, joe, tom, secret: `zq${randomText(14)}` }
}

const at = (lovedOne: LovedOne, messageId: string) => ({ messageId, lovedOneId: lovedOne.id })

const open = (office: Office, token: string, lovedOne: LovedOne, messageId: string) =>
  untilAnswered(() => office.inbox.openMessage({ ...at(lovedOne, messageId), markRead: false }, { token }))

const move = (office: Office, token: string, from: LovedOne, messageId: string, to: LovedOne) =>
  untilAnswered(() => office.inbox.moveMessage({ ...at(from, messageId), toLovedOneId: to.id }, { token }))

const join = (office: Office, token: string, rosa: LovedOne, messageId: string, withMessageId: string, seen = '') =>
  untilAnswered(() =>
    office.inbox.joinConversations({ ...at(rosa, messageId), withMessageId, seenConversationId: seen }, { token }),
  )

const takeOut = (office: Office, token: string, rosa: LovedOne, messageId: string) =>
  untilAnswered(() => office.inbox.takeOutMessage(at(rosa, messageId), { token }))

const undo = (office: Office, token: string, rosa: LovedOne, messageId: string, rearrangementId: string) =>
  untilAnswered(() => office.inbox.undoRearrangement({ ...at(rosa, messageId), rearrangementId }, { token }))

const verify = ({ mongo }: Office, { workspaceId }: World) => setCheck(mongo, { workspaceId }, 'verified')

async function subjects(office: Office, token: string, lovedOne: LovedOne, wanted = {}): Promise<string[]> {
  const { entries } = await untilAnswered(() =>
    office.inbox.browseMessages({ ...EVERYTHING, lovedOneId: lovedOne.id, ...wanted }, { token }),
  )
  return entries.map(({ message }) => message?.subject.split(' ')[1] ?? '').sort()
}

/** Which of these messages are in one conversation. */
async function grouped(office: Office, { workspaceId }: World, ids: string[]): Promise<number[]> {
  const rows = await messages(office).find({ workspaceId }).toArray()
  const of = ids.map((id) => rows.find(({ _id }) => _id.endsWith(`/${id}`))?.conversationId ?? '')
  return of.map((one) => of.indexOf(one))
}

/** Every collection of inbox with a row that names this message under this loved one. */
async function whereIs({ db }: Office, lovedOneId: string, messageId: string): Promise<string[]> {
  const found: string[] = []
  for (const { name } of await db.listCollections().toArray())
    for await (const row of db.collection(name).find({}, { raw: true }))
      if ((row as unknown as Buffer).includes(`${lovedOneId}/${messageId}`)) {
        found.push(name)
        break
      }
  return found.sort()
}

test('a letter about somebody else moves with its conversation, replies, notes, reminders, drafts and large files, and back', async (t) => {
  const office = t.context
  const world = await newWorld(office)
  const { owner, viewer, tom, rosa, joe, secret } = world
  const long = Array.from({ length: 3000 }, () => 'A long letter about many things.').join(' ')
  const first = await send(office, world, { id: 'first', body: long })
  const second = await send(office, world, { id: 'second', fields: answers(world, 'first') })
  await verify(office, world)
  const kept = await send(office, world, { id: 'kept' })
  t.deepEqual(await grouped(office, world, [first, second, kept]), [0, 0, 2])
  await untilAnswered(() =>
    office.inbox.addNote(
      { ...at(rosa, first), text: 'Keep this', idempotencyKey: '', namedPersonIds: [] },
      { token: owner },
    ),
  )
  await untilAnswered(() =>
    office.inbox.setReminder(
      { ...at(rosa, second), day: IN_A_MONTH, timeZone: 'Europe/Lisbon', onlyIfUnanswered: false },
      { token: owner },
    ),
  )
  await untilAnswered(() =>
    office.inbox.saveDraft({ ...at(rosa, second), body: 'A draft', idempotencyKey: randomText(8) }, { token: owner }),
  )
  await untilAnswered(() =>
    office.inbox.changeStatus(
      { ...at(rosa, second), action: StatusAction.TAKE, assigneeId: '', seenAssigneeId: '' },
      { token: tom.token },
    ),
  )
  const { replyId } = await untilAnswered(() =>
    office.inbox.replyToMessage(
      { ...at(rosa, second), body: 'We come.', idempotencyKey: randomText(8), undoSeconds: 3 },
      { token: tom.token },
    ),
  )
  await untilAnswered(() => office.inbox.markMessage({ ...at(rosa, first), read: true }, { token: owner }))
  await untilAnswered(() => office.inbox.markMessage({ ...at(rosa, second), read: false }, { token: owner }))

  t.is(await statusOf(move(office, viewer, rosa, second, joe)), 'PERMISSION_DENIED')
  t.is((await move(office, tom.token, rosa, second, joe)).messages, 2)
  t.is((await move(office, tom.token, rosa, second, joe)).messages, 0, 'moving it again changes nothing')

  t.deepEqual(await subjects(office, owner, rosa), ['kept'])
  t.deepEqual(await subjects(office, owner, rosa, { search: secret }), ['kept'])
  t.deepEqual(await subjects(office, owner, joe, { search: `"second ${secret}"` }), ['second'])
  t.deepEqual(await subjects(office, owner, joe, { unread: true }), ['second'])
  const moved = await open(office, owner, joe, second)
  t.is((await open(office, owner, rosa, second)).movedTo, joe.id, 'an old link leads there')
  t.deepEqual(
    [moved.notes.map(({ text }) => text), moved.reminders.map(({ day }) => day), moved.draft, moved.others.length],
    [['Keep this'], [IN_A_MONTH], 'A draft', 1],
  )
  t.is(moved.message?.state?.status, ConversationStatus.TAKEN)
  t.deepEqual(
    moved.rearrangements.map(({ kind, name, fromLovedOneId }) => [kind, name, fromLovedOneId]),
    [[RearrangementKind.MOVED, 'Tom Santos', rosa.id]],
  )
  const read = await untilAnswered(() => office.inbox.getInboxMessage(at(joe, first), { token: owner }))
  t.true(read.body.includes('A long letter'))
  t.is(await statusOf(office.inbox.getInboxMessage(at(rosa, first), { token: owner })), 'NOT_FOUND')
  t250(await deliver(office.stack.smtpPort, rosa.address, await originalOf(office, world, 'second')))
  await untilJoined(office.mongo, world.workspaceId)
  t.deepEqual(await subjects(office, owner, rosa), ['kept'], 'a copy of it does not arrive again')
  const deliveries = office.db.collection<{ _id: string; state: string }>('deliveries')
  await until(async () => (await deliveries.findOne({ _id: replyId }))?.state === 'sent')
  t.deepEqual(
    (await open(office, owner, joe, second)).replies.map(({ body }) => body),
    ['We come.'],
  )
  await afterAWhile(office, world)
  await until(async () => (await whereIs(office, rosa.id, second)).join() === 'moved_messages')
  await until(async () => (await pieces(office, world, rosa)) === 0)
  t.true((await pieces(office, world, joe)) > 0)

  t.is((await move(office, owner, joe, second, rosa)).messages, 2)
  const back = await open(office, owner, rosa, second)
  t.deepEqual([back.notes.length, back.reminders.length, back.replies.length, back.rearrangements.length], [1, 1, 1, 0])
  t.is(back.message?.state?.assigneeName, 'Tom Santos')
  t.deepEqual(await subjects(office, owner, joe), [])
  await afterAWhile(office, world)
  await until(async () => (await pieces(office, world, joe)) === 0)
  t.true(
    (await untilAnswered(() => office.inbox.getInboxMessage(at(rosa, first), { token: owner }))).body.includes(
      'A long',
    ),
  )
})

/** What is left in the inbox that a message left is removed some seconds later. */
async function afterAWhile({ db }: Office, { workspaceId }: World): Promise<void> {
  const left = { workspaceId, finishAt: { $exists: true } }
  await db.collection('moved_messages').updateMany(left, { $set: { movedAt: new Date(0), finishAt: new Date() } })
}

async function originalOf(office: Office, world: World, id: string): Promise<string> {
  const [row] = await findOpened(office.stack, office.db, 'messages', { messageIdHeader: idOf(world, id) })
  return String(row?.original)
}

function pieces({ db }: Office, { workspaceId }: World, { id }: LovedOne): Promise<number> {
  return db.collection<{ _id: string }>('originals').countDocuments({ _id: new RegExp(`^${workspaceId}/${id}/`) })
}

test('of two members who move a letter to different inboxes at the same moment, the second learns who was first', async (t) => {
  const office = t.context
  const family = await office.family(3)
  const tom = await office.join(family, Role.COORDINATOR, 'Tom Santos')
  const [rosa, joe, amy] = family.lovedOnes as [LovedOne, LovedOne, LovedOne]
  const world = { ...family, rosa, joe, tom, secret: `zq${randomText(14)}` }
  for (let round = 0; round < 6; round += 1) {
    const id = await send(office, world, { id: `race${round}` })
    const outcomes = await Promise.allSettled([
      move(office, family.owner, rosa, id, joe),
      move(office, tom.token, rosa, id, amy),
    ])
    const refused = outcomes.flatMap((one) => (one.status === 'rejected' ? [String(one.reason.message)] : []))
    t.is(refused.length, 1)
    t.regex(refused[0] ?? '', /^(?:Ines|Tom) Santos has moved this to another inbox/)
    t.is(await messages(office).countDocuments({ _id: new RegExp(`/${id}$`) }), 1)
  }
})

test('an answer to our reply follows a moved letter, and a stranger’s that names it does not', async (t) => {
  const office = t.context
  const world = await newWorld(office)
  const { owner, rosa, joe, workspaceId } = world
  const asked = await send(office, world, { id: 'asked' })
  await verify(office, world)
  const { replyId } = await untilAnswered(() =>
    office.inbox.replyToMessage(
      { ...at(rosa, asked), body: 'Yes.', idempotencyKey: randomText(8), undoSeconds: 0 },
      { token: owner },
    ),
  )
  const deliveries = office.db.collection<{ _id: string; messageIdHeader: string; state: string }>('deliveries')
  await until(async () => (await deliveries.findOne({ _id: replyId }))?.state === 'sent')
  await move(office, owner, rosa, asked, joe)
  const ours = (await deliveries.findOne({ _id: replyId }))?.messageIdHeader ?? ''
  const fields = [`In-Reply-To: ${ours}`, `References: ${idOf(world, 'asked')} ${ours}`]
  const answer = await send(office, world, { id: 'answer', fields })
  t.deepEqual(await subjects(office, owner, rosa), ['answer'], 'it claims to be the clinic, and proves nothing yet')
  const row = { workspaceId, _id: `${workspaceId}/${rosa.id}/${answer}` }
  await setCheck(office.mongo, row as never, 'verified')
  t.deepEqual(await subjects(office, owner, rosa), [])
  const forged = await send(office, world, { id: 'forged', fields })
  t.deepEqual(await subjects(office, owner, rosa), ['forged'])
  t.deepEqual(await grouped(office, world, [asked, answer, forged]), [0, 0, 2])
  const opened = await open(office, owner, joe, answer)
  t.deepEqual([opened.others.length, opened.rearrangements.length], [1, 1], 'nobody moved the answer')
})

test('two conversations are put together with one status, later mail follows, and Undo takes it back', async (t) => {
  const office = t.context
  const world = await newWorld(office)
  const { owner, viewer, tom, rosa, joe } = world
  const [one, two] = [await send(office, world, { id: 'one' }), await send(office, world, { id: 'two' })]
  await verify(office, world)
  await untilAnswered(() =>
    office.inbox.changeStatus(
      { ...at(rosa, two), action: StatusAction.TAKE, assigneeId: '', seenAssigneeId: '' },
      { token: tom.token },
    ),
  )
  t.is(await statusOf(join(office, viewer, rosa, two, one)), 'PERMISSION_DENIED')
  const elsewhere = await send(office, world, { id: 'elsewhere', to: joe })
  t.is(await statusOf(join(office, owner, rosa, two, elsewhere)), 'NOT_FOUND')
  const first = await join(office, owner, rosa, two, one, two)
  t.is((await join(office, owner, rosa, two, one, two)).rearrangementId, '', 'once is enough')
  t.deepEqual(await grouped(office, world, [one, two]), [0, 0])
  const together = await open(office, owner, rosa, one)
  t.is(together.message?.state?.assigneeName, 'Tom Santos')
  t.deepEqual(
    together.rearrangements.map(({ kind, name }) => [kind, name]),
    [[RearrangementKind.JOINED, 'Ines Santos']],
  )
  const three = await send(office, world, { id: 'three' })
  const late = await join(office, tom.token, rosa, two, three, two).catch((error: StatusError) => error.message)
  t.is(late, 'Ines Santos has put this with another conversation meanwhile. Nothing was changed.')

  await undo(office, tom.token, rosa, two, first.rearrangementId)
  await undo(office, tom.token, rosa, two, first.rearrangementId)
  t.deepEqual(await grouped(office, world, [one, two]), [0, 1])
  t.is((await open(office, owner, rosa, two)).message?.state?.assigneeName, 'Tom Santos')
  t.not((await open(office, owner, rosa, one)).message?.state?.status, ConversationStatus.TAKEN)

  await join(office, owner, rosa, two, one)
  const four = await send(office, world, { id: 'four', fields: answers(world, 'two') })
  await verify(office, world)
  t.deepEqual(await grouped(office, world, [one, two, four, three]), [0, 0, 0, 3])
})

test('what is taken out of a conversation stays apart, though later mail names both, and Undo puts it back', async (t) => {
  const office = t.context
  const world = await newWorld(office)
  const { owner, rosa } = world
  const ids = [await send(office, world, { id: 'a' })]
  ids.push(await send(office, world, { id: 'b', fields: answers(world, 'a') }))
  ids.push(await send(office, world, { id: 'c', fields: answers(world, 'a', 'b') }))
  await verify(office, world)
  t.deepEqual(await grouped(office, world, ids), [0, 0, 0])
  const [a = '', b = ''] = ids
  const { rearrangementId } = await takeOut(office, owner, rosa, a)
  t.deepEqual(await grouped(office, world, ids), [0, 1, 1])
  t.is((await takeOut(office, owner, rosa, a)).rearrangementId, '')
  await undo(office, owner, rosa, a, rearrangementId)
  t.deepEqual(await grouped(office, world, ids), [0, 0, 0])
  await takeOut(office, owner, rosa, a)
  ids.push(await send(office, world, { id: 'd', fields: answers(world, 'b', 'a') }))
  await verify(office, world)
  ids.push(await send(office, world, { id: 'e', fields: answers(world, 'a', 'b') }))
  await verify(office, world)
  t.deepEqual(await grouped(office, world, ids), [0, 1, 1, 0, 1])
  await join(office, owner, rosa, a, b)
  t.deepEqual(await grouped(office, world, ids), [0, 0, 0, 0, 0])
})

test('of two members who rearrange a message at the same moment, both leave every message in one conversation', async (t) => {
  const office = t.context
  const world = await newWorld(office)
  const { owner, tom, rosa, workspaceId } = world
  const [one, two] = [await send(office, world, { id: 'one' }), await send(office, world, { id: 'two' })]
  for (let round = 0; round < 5; round += 1) {
    await Promise.all([join(office, owner, rosa, one, two), join(office, tom.token, rosa, two, one)])
    t.deepEqual(await grouped(office, world, [one, two]), [0, 0])
    await Promise.all([takeOut(office, owner, rosa, one), takeOut(office, tom.token, rosa, two)])
    t.deepEqual(await grouped(office, world, [one, two]), [0, 1])
  }
  const statuses = await office.db.collection('conversation_statuses').countDocuments({ workspaceId })
  t.is(statuses, 2)
})

test('putting a stranger’s mail with that of a proven sender, or a forwarded one, lets in nothing more of the stranger', async (t) => {
  const office = t.context
  const world = await newWorld(office)
  const { owner, rosa, workspaceId } = world
  const stranger = 'Desk <desk@elsewhere.example>'
  const [clinic, odd] = [
    await send(office, world, { id: 'clinic' }),
    await send(office, world, { id: 'odd', from: stranger }),
  ]
  await setCheck(office.mongo, { workspaceId, _id: `${workspaceId}/${rosa.id}/${clinic}` } as never, 'verified')
  await join(office, owner, rosa, odd, clinic)
  const more = await send(office, world, { id: 'more', from: stranger, fields: answers(world, 'clinic', 'odd') })
  t.deepEqual(await grouped(office, world, [clinic, odd, more]), [0, 0, 2])

  const [forwarded, strange] = [
    await send(office, world, { id: 'forwarded' }),
    await send(office, world, { id: 'strange', from: stranger }),
  ]
  await messages(office).updateOne(
    { _id: `${workspaceId}/${rosa.id}/${forwarded}` },
    {
      $set: {
        forwardedByMember: true,
        sentByMember: true,
        originalSender: { name: '', address: 'nurse@clinic.example' },
      } as never,
    },
  )
  await setCheck(office.mongo, { workspaceId, _id: `${workspaceId}/${rosa.id}/${forwarded}` } as never, 'verified')
  await join(office, owner, rosa, strange, forwarded)
  const again = await send(office, world, { id: 'again', from: stranger, fields: answers(world, 'strange') })
  t.deepEqual(await grouped(office, world, [forwarded, strange, again]), [0, 0, 2])
})

test('another family’s ids move, join, take out and undo nothing', async (t) => {
  const office = t.context
  const [world, other] = [await newWorld(office), await newWorld(office)]
  const [own, foreign] = [await send(office, other, { id: 'own' }), await send(office, world, { id: 'foreign' })]
  const { owner: token, rosa, joe } = other
  const refused = [
    () => move(office, token, world.rosa, foreign, world.joe),
    () => move(office, token, rosa, foreign, joe),
    () => move(office, token, rosa, own, world.joe),
    () => join(office, token, world.rosa, foreign, foreign),
    () => join(office, token, rosa, own, foreign),
    () => takeOut(office, token, rosa, foreign),
    () => undo(office, token, rosa, foreign, 'rea_x'),
    () => takeOut(office, token, world.rosa, foreign),
  ]
  for (const [index, call] of refused.entries()) t.is(await statusOf(call()), 'NOT_FOUND', String(index))
  t.is(await messages(office).countDocuments({ _id: `${world.workspaceId}/${world.rosa.id}/${foreign}` }), 1)
})

test('an assistant moves, joins, takes out and undoes nothing, whatever its person may do', async (t) => {
  const office = t.context
  const world = await newWorld(office)
  const { rosa, joe, owner } = world
  const [one, two] = [await send(office, world, { id: 'one' }), await send(office, world, { id: 'two' })]
  const token = await office.throughAssistant(owner)
  t.is((await open(office, token, rosa, one)).message?.id, one, 'it may read')
  const refused = [
    () => move(office, token, rosa, one, joe),
    () => join(office, token, rosa, one, two),
    () => takeOut(office, token, rosa, one),
    () => undo(office, token, rosa, one, 'rea_x'),
  ]
  for (const [index, call] of refused.entries()) t.is(await statusOf(call()), 'PERMISSION_DENIED', String(index))
  t.is((await subjects(office, owner, rosa)).length, 2)
  t.deepEqual(await subjects(office, owner, joe), [])
})
