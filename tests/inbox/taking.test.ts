import { Role } from '@family-inbox/proto/carecircle/v1/care_circle'
import {
  type BrowseMessagesRequest,
  ConversationStatus,
  ConversationView,
  StatusAction,
} from '@family-inbox/proto/inbox/v1/inbox'
import type { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import anyTest, { type TestFn } from 'ava'
import { UNJOINED } from '../_checked.ts'
import { untilAnswered } from '../_outcome.ts'
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
type World = Family & { lovedOne: LovedOne; tom: NewMember }

const test = anyTest as TestFn<Office>

test.before(async (t) => {
  t.context = await joinPostOffice()
})
test.after.always((t) => (t.context as Partial<Office>)[Symbol.asyncDispose]?.())

type Mail = { id: string; names?: string; subject?: string; headers?: string[] }

async function send(office: Office, { lovedOne }: World, { id, names, subject = `About ${id}`, headers = [] }: Mail) {
  const raw = [
    'From: Desk <desk@clinic.example>',
    `Subject: ${subject}`,
    `Message-ID: <${id}@clinic.example>`,
    ...(names ? [`In-Reply-To: <${names}@clinic.example>`] : []),
    ...headers,
    '',
    `This is ${id}.`,
    '',
  ].join('\r\n')
  const answer = await deliver(office.stack.smtpPort, lovedOne.address, raw)
  if (!answer.startsWith('250')) throw new Error(answer)
}

/** And in its conversation. */
async function indexed({ db }: Office, { workspaceId }: Family): Promise<void> {
  await until(async () => (await db.collection('messages').countDocuments({ workspaceId, ...UNJOINED })) === 0)
}

/** A family with a coordinator, Tom, and this mail. */
async function newWorld(office: Office, mails: Mail[]): Promise<World> {
  const family = await office.family(1)
  const tom = await office.join(family, Role.COORDINATOR, 'Tom Santos')
  const world = { ...family, lovedOne: family.lovedOnes[0] as LovedOne, tom }
  for (const mail of mails) await send(office, world, mail)
  await indexed(office, family)
  return world
}

const browse = (office: Office, token: string, wanted: Partial<BrowseMessagesRequest> = {}) =>
  untilAnswered(() => office.inbox.browseMessages({ ...EVERYTHING, ...wanted }, { token }))

async function idOf(office: Office, { owner }: World, subject: string): Promise<string> {
  const { entries } = await browse(office, owner, { search: `"${subject}"` })
  return entries[0]?.message?.id ?? ''
}

const act = (
  office: Office,
  { lovedOne }: World,
  token: string,
  messageId: string,
  action: StatusAction,
  assignee: { assigneeId?: string; seenAssigneeId?: string } = {},
) =>
  untilAnswered(() =>
    office.inbox.changeStatus(
      { lovedOneId: lovedOne.id, messageId, action, assigneeId: '', seenAssigneeId: '', ...assignee },
      { token },
    ),
  )

async function refusal(call: Promise<unknown>): Promise<Pick<StatusError, 'status' | 'message'> | undefined> {
  try {
    await call
    return undefined
  } catch (error) {
    const { status, message } = error as StatusError
    return { status, message }
  }
}

async function counts(office: Office, token: string): Promise<number[]> {
  const { open = 0, mine = 0, done = 0, all = 0 } = (await browse(office, token)).counts ?? {}
  return [open, mine, done, all]
}

const shown = async (office: Office, token: string, view: ConversationView, wanted = {}) =>
  (await browse(office, token, { view, ...wanted })).entries.map(({ message }) => message?.preview)

test('two people take a message at the same moment: one gets it, and the other sees who that is', async (t) => {
  const office = t.context
  const mails = Array.from({ length: 25 }, (_, index) => ({ id: `race${index}`, subject: `Race ${index}.` }))
  const world = await newWorld(office, mails)
  const ids = (await browse(office, world.owner, { pageSize: 100 })).entries.map(({ message }) => message?.id ?? '')
  t.is(ids.length, 25)
  for (const messageId of ids) {
    const takers = [world.owner, world.tom.token, world.owner, world.tom.token]
    const outcomes = await Promise.all(
      takers.map((token) => refusal(act(office, world, token, messageId, StatusAction.TAKE))),
    )
    const [ana, tom] = [outcomes[0], outcomes[1]]
    t.true((ana === undefined) !== (tom === undefined), JSON.stringify(outcomes))
    t.is(outcomes[2] === undefined, ana === undefined)
    t.is((ana ?? tom)?.status, 'FAILED_PRECONDITION')
    t.regex(
      (ana ?? tom)?.message ?? '',
      ana === undefined ? /^Ines Santos is already on it/ : /^Tom Santos is already on it/,
    )
  }
  const mine = (await counts(office, world.owner))[1] ?? 0
  const toms = (await counts(office, world.tom.token))[1] ?? 0
  t.is(mine + toms, 25)
})

test('two who finish a message differently at the same moment: one of them decides', async (t) => {
  const office = t.context
  const mails = Array.from({ length: 10 }, (_, index) => ({ id: `end${index}`, subject: `End ${index}.` }))
  const world = await newWorld(office, mails)
  for (const { message } of (await browse(office, world.owner)).entries) {
    const messageId = message?.id ?? ''
    const [done, notNeeded] = await Promise.all([
      refusal(act(office, world, world.owner, messageId, StatusAction.DONE)),
      refusal(act(office, world, world.tom.token, messageId, StatusAction.NOT_NEEDED)),
    ])
    t.true((done === undefined) !== (notNeeded === undefined))
    t.regex(
      (done ?? notNeeded)?.message ?? '',
      /^(Ines Santos has marked this as done|Tom Santos has marked this “No action needed”)/,
    )
  }
})

test('the counts of Open, Mine, Done and All are right after each act, and the views list what they count', async (t) => {
  const office = t.context
  const world = await newWorld(office, [{ id: 'c1' }, { id: 'c2' }, { id: 'c3' }])
  const { owner, tom } = world
  const [c1, c2, c3] = await Promise.all(['About c1', 'About c2', 'About c3'].map((one) => idOf(office, world, one)))
  t.deepEqual(await counts(office, owner), [3, 0, 0, 3])
  await act(office, world, owner, c1 ?? '', StatusAction.TAKE)
  t.deepEqual(await counts(office, owner), [3, 1, 0, 3])
  t.deepEqual(await counts(office, tom.token), [3, 0, 0, 3])
  await act(office, world, owner, c1 ?? '', StatusAction.HAND_OVER, { assigneeId: tom.personId })
  t.deepEqual(await counts(office, tom.token), [3, 1, 0, 3], 'her own, so she can always hand it over')
  t.deepEqual(await counts(office, owner), [3, 0, 0, 3])
  await act(office, world, tom.token, c1 ?? '', StatusAction.GIVE_BACK)
  t.deepEqual(await counts(office, tom.token), [3, 0, 0, 3])
  await act(office, world, owner, c1 ?? '', StatusAction.DONE)
  await act(office, world, owner, c2 ?? '', StatusAction.NOT_NEEDED)
  t.deepEqual(await counts(office, owner), [1, 0, 2, 3])
  t.deepEqual(await shown(office, owner, ConversationView.OPEN), ['This is c3.'])
  t.deepEqual(await shown(office, owner, ConversationView.DONE), ['This is c2.', 'This is c1.'])
  t.deepEqual(await shown(office, owner, ConversationView.DONE, { search: 'c1' }), ['This is c1.'])
  await act(office, world, tom.token, c1 ?? '', StatusAction.OPEN_AGAIN)
  await act(office, world, tom.token, c3 ?? '', StatusAction.TAKE)
  t.deepEqual(await counts(office, tom.token), [2, 1, 1, 3])
  t.deepEqual(await shown(office, tom.token, ConversationView.MINE), ['This is c3.'])
  t.deepEqual(await shown(office, owner, ConversationView.MINE), [])
  const first = await browse(office, owner, { view: ConversationView.OPEN, pageSize: 1 })
  const rest = await browse(office, owner, { view: ConversationView.OPEN, pageSize: 1, pageToken: first.nextPageToken })
  t.deepEqual(
    [...first.entries, ...rest.entries].map(({ message }) => message?.preview),
    ['This is c3.', 'This is c1.'],
  )
  t.is(rest.nextPageToken, '')
  const other = await office.family(1)
  t.deepEqual(await counts(office, other.owner), [0, 0, 0, 0])
})

test('new mail opens a conversation that was done; an automatic answer does not, and neither is open work', async (t) => {
  const office = t.context
  const world = await newWorld(office, [{ id: 'n1' }])
  const { owner } = world
  const n1 = await idOf(office, world, 'About n1')
  const state = async () => (await browse(office, owner)).entries.at(-1)?.message?.state
  await act(office, world, owner, n1, StatusAction.DONE)
  t.like(await state(), { status: ConversationStatus.DONE, changedBy: 'Ines Santos' })
  await send(office, world, { id: 'n2', names: 'n1', headers: ['Auto-Submitted: auto-replied'] })
  await indexed(office, world)
  t.is((await state())?.status, ConversationStatus.DONE)
  await send(office, world, { id: 'n3', names: 'n1' })
  await indexed(office, world)
  t.like(await state(), { status: ConversationStatus.OPEN, changedBy: '', assigneeId: '' })
  await act(office, world, owner, n1, StatusAction.NOT_NEEDED)
  await office.inbox.changeCategory(
    { lovedOneId: world.lovedOne.id, messageId: n1, category: 'CATEGORY_BILLING' as never },
    { token: owner },
  )
  await indexed(office, world)
  t.is((await state())?.status, ConversationStatus.NOT_NEEDED, 'indexing a message again opens nothing')
  await send(office, world, { id: 'n4', headers: ['Auto-Submitted: auto-generated', 'List-Id: <news.example>'] })
  await indexed(office, world)
  t.deepEqual(await counts(office, owner), [0, 0, 1, 2])
})

test('a message that is marked as done before it is indexed stays done', async (t) => {
  const office = t.context
  const world = await newWorld(office, [])
  for (let index = 0; index < 5; index += 1) {
    await send(office, world, { id: `quick${index}` })
    const [newest] = (await browse(office, world.owner)).entries
    t.is(newest?.message?.state?.status, ConversationStatus.OPEN)
    await act(office, world, world.owner, newest?.message?.id ?? '', StatusAction.DONE)
    await indexed(office, world)
  }
  t.deepEqual(await counts(office, world.owner), [0, 0, 5, 5])
})

test('a taken message stays taken when new mail joins it to another conversation', async (t) => {
  const office = t.context
  const world = await newWorld(office, [{ id: 'j1' }, { id: 'j2' }])
  const { owner, tom } = world
  await act(office, world, owner, await idOf(office, world, 'About j1'), StatusAction.DONE)
  await act(office, world, tom.token, await idOf(office, world, 'About j2'), StatusAction.TAKE)
  await send(office, world, { id: 'j3', names: 'j1', headers: ['References: <j1@clinic.example> <j2@clinic.example>'] })
  await indexed(office, world)
  const { entries } = await browse(office, owner)
  t.is(entries.length, 1)
  t.like(entries[0]?.message?.state, { status: ConversationStatus.TAKEN, assigneeName: 'Tom Santos' })
  t.deepEqual(await counts(office, tom.token), [1, 1, 0, 1])
  t.is(await office.db.collection('conversation_statuses').countDocuments({ workspaceId: world.workspaceId }), 1)
})

test('a message is handed over only from whom the caller saw, and only to members who can reply', async (t) => {
  const office = t.context
  const world = await newWorld(office, [{ id: 'h1' }])
  const { owner, tom } = world
  const lea = await office.join(world, Role.COORDINATOR, 'Léa Santos')
  const viewer = await office.join(world, Role.VIEWER, 'Vi Santos')
  const stranger = await office.join(await office.family(1), Role.COORDINATOR, 'Stranger')
  const h1 = await idOf(office, world, 'About h1')
  const handOver = (token: string, assigneeId: string, seenAssigneeId = '') =>
    act(office, world, token, h1, StatusAction.HAND_OVER, { assigneeId, seenAssigneeId })
  await handOver(owner, tom.personId)
  const late = await refusal(handOver(owner, lea.personId))
  t.like(late, { status: 'FAILED_PRECONDITION' })
  t.regex(late?.message ?? '', /^Tom Santos is already on it/)
  await handOver(owner, lea.personId, tom.personId)
  t.regex((await refusal(act(office, world, tom.token, h1, StatusAction.GIVE_BACK)))?.message ?? '', /^Léa Santos/)
  for (const { personId } of [viewer, stranger, { personId: 'per_nobody' }])
    t.deepEqual(await refusal(handOver(owner, personId, lea.personId)), {
      status: 'INVALID_ARGUMENT',
      message: 'assigneeId must be the owner or a coordinator of this workspace.',
    })
})

test('viewers see the status, notes and reminders, and change nothing but write notes; another workspace’s message is not found', async (t) => {
  const office = t.context
  const world = await newWorld(office, [{ id: 'v1' }])
  const { owner, viewer, lovedOne, tom } = world
  const strangers = await newWorld(office, [{ id: 's1' }])
  const [messageId, foreign] = [await idOf(office, world, 'About v1'), await idOf(office, strangers, 'About s1')]
  await act(office, world, tom.token, messageId, StatusAction.TAKE)
  t.is((await browse(office, viewer)).entries[0]?.message?.state?.assigneeName, 'Tom Santos')
  const lovedOneId = lovedOne.id
  const note = { lovedOneId, messageId, text: 'Hello', namedPersonIds: [], idempotencyKey: '' }
  const { noteId } = await office.inbox.addNote(note, { token: tom.token })
  const day = new Date(Date.now() + 5 * 86_400_000).toISOString().slice(0, 10)
  const reminder = { lovedOneId, messageId, day, onlyIfUnanswered: true, timeZone: 'Europe/Lisbon' }
  const { reminderId } = await office.inbox.setReminder(reminder, { token: tom.token })
  const opened = await office.inbox.openMessage({ lovedOneId, messageId, markRead: false }, { token: viewer })
  t.deepEqual(
    opened.notes.map(({ name, text }) => [name, text]),
    [['Tom Santos', 'Hello']],
  )
  t.deepEqual(
    opened.reminders.map(({ name, day }) => [name, day]),
    [['Tom Santos', day]],
  )

  type Call = (token: string, ids: { lovedOneId: string; messageId: string }) => Promise<unknown>
  const calls: Call[] = [
    (token, ids) =>
      office.inbox.changeStatus({ ...ids, action: StatusAction.TAKE, assigneeId: '', seenAssigneeId: '' }, { token }),
    (token, ids) => office.inbox.addNote({ ...note, ...ids }, { token }),
    (token, ids) => office.inbox.setReminder({ ...reminder, ...ids }, { token }),
  ]
  for (const call of calls) {
    const refused = await refusal(call(viewer, { lovedOneId, messageId }))
    t.is(refused?.status, call === calls[1] ? undefined : 'PERMISSION_DENIED')
    const [missing, other] = await Promise.all([
      refusal(call(owner, { lovedOneId, messageId: 'msg_none' })),
      refusal(call(owner, { lovedOneId, messageId: foreign })),
    ])
    t.is(missing?.status, 'NOT_FOUND')
    t.deepEqual(other, missing)
    const foreignInbox = { lovedOneId: strangers.lovedOne.id, messageId: foreign }
    t.is((await refusal(call(owner, foreignInbox)))?.status, 'NOT_FOUND')
  }
  t.is((await refusal(office.inbox.deleteNote({ noteId }, { token: strangers.owner })))?.status, 'NOT_FOUND')
  t.is((await refusal(office.inbox.deleteNote({ noteId }, { token: viewer })))?.status, 'PERMISSION_DENIED')
  await office.inbox.removeReminder({ reminderId }, { token: strangers.owner })
  t.is(await office.db.collection('reminders').countDocuments({ _id: reminderId as never }), 1)
  const lea = await office.join(world, Role.COORDINATOR, 'Léa Santos')
  t.is((await refusal(office.inbox.deleteNote({ noteId }, { token: lea.token })))?.status, 'PERMISSION_DENIED')
  await office.inbox.deleteNote({ noteId }, { token: owner })
  t.is(await office.db.collection('notes').countDocuments({ _id: noteId as never }), 0)
})
