import { CareCircleServiceService, Role, ToDoAction, ToDoStatus } from '@family-inbox/proto/carecircle/v1/care_circle'
import { randomText } from '@family-inbox/service-kit/ids/ids'
import { shiftDay } from '@family-inbox/service-kit/time/calendar-day'
import test from 'ava'
import { openDatabase } from '../_database.ts'
import { dialAsHolder } from '../_dial-as-holder.ts'
import { untilAnswered } from '../_outcome.ts'
import type { SharedStack } from '../_shared-stack.ts'
import { type Family, joinPostOffice, type NewMember, type PostOffice } from '../inbox/_post-office.ts'

type CareCircle = Awaited<ReturnType<typeof dialAsHolder<typeof CareCircleServiceService>>>

let office: PostOffice<SharedStack>
let careCircle: CareCircle

test.before(async () => {
  office = await joinPostOffice()
  const address = office.stack.addresses['care-circle'] ?? ''
  careCircle = await dialAsHolder(CareCircleServiceService, address, office.stack, 'site')
})
test.after.always(async () => {
  careCircle?.close()
  await office?.[Symbol.asyncDispose]()
})

const NEW = {
  text: 'Pick up the prescription',
  lovedOneId: '',
  day: '',
  assigneeId: '',
  messageId: '',
  messageLovedOneId: '',
  idempotencyKey: '',
}

async function add(family: Pick<Family, 'owner'>, words: Partial<typeof NEW> = {}): Promise<string> {
  const asOwner = { token: family.owner }
  // So that a call that is repeated on a busy machine adds one.
  const idempotencyKey = randomText(12)
  return (await untilAnswered(() => careCircle.addToDo({ ...NEW, idempotencyKey, ...words }, asOwner))).toDoId
}

async function open({ owner }: Pick<Family, 'owner'>, lovedOneId = '') {
  return (await untilAnswered(() => careCircle.listToDos({ lovedOneId, done: false }, { token: owner }))).toDos
}

function act(token: string, toDoId: string, action: ToDoAction, assigneeId = '', seenAssigneeId = '') {
  return untilAnswered(() => careCircle.changeToDoStatus({ toDoId, action, assigneeId, seenAssigneeId }, { token }))
}

async function withLuis(): Promise<{ family: Family; luis: NewMember }> {
  const family = await office.family(2)
  return { family, luis: await office.join(family, Role.COORDINATOR, 'Luis') }
}

test('what has a day comes first, then the oldest; of one person, only theirs', async (t) => {
  const family = await office.family(2)
  const [rosa, jorge] = family.lovedOnes
  await add(family, { text: 'Some day' })
  await add(family, { text: 'Later', day: '2026-06-01', lovedOneId: rosa?.id ?? '' })
  await add(family, { text: 'Sooner', day: '2026-05-12', lovedOneId: jorge?.id ?? '' })
  await add(family, { text: 'Some other day' })
  const textsOf = async (id?: string) => (await open(family, id)).map(({ text }) => text)
  t.deepEqual(await textsOf(), ['Sooner', 'Later', 'Some day', 'Some other day'])
  t.deepEqual(await textsOf(jorge?.id), ['Sooner'])
})

test('the same form adds one to-do, and a text is one line of at most 200 characters', async (t) => {
  const family = await office.family()
  const ids = await Promise.all(Array.from({ length: 5 }, () => add(family, { idempotencyKey: 'one form' })))
  t.is(new Set(ids).size, 1)
  t.is((await open(family)).length, 1)
  await add(family, { text: '🧡'.repeat(200) })
  for (const [words, field] of [
    [{ text: 'x'.repeat(201) }, 'text'],
    [{ text: ' ' }, 'text'],
    [{ text: 'one\ntwo' }, 'text'],
    [{ day: '2026-02-30' }, 'day'],
    [{ day: 'tomorrow' }, 'day'],
    [{ assigneeId: 'per_nobody' }, 'assigneeId'],
  ] as const) {
    const error = await t.throwsAsync(add(family, words))
    t.like(error, { status: 'INVALID_ARGUMENT', detail: { field } }, JSON.stringify(words))
  }
})

test('of two people who take it at once one has it, and the other sees who', async (t) => {
  const { family, luis } = await withLuis()
  const eva = await office.join(family, Role.COORDINATOR, 'Eva')
  for (let round = 0; round < 5; round += 1) {
    const id = await add(family)
    const tried = await Promise.allSettled([luis, eva].map(({ token }) => act(token, id, ToDoAction.TAKE)))
    const lost = tried.flatMap((one) => (one.status === 'rejected' ? [one.reason as Error] : []))
    t.is(lost.length, 1)
    const { toDo } = await untilAnswered(() => careCircle.getToDo({ toDoId: id }, { token: family.owner }))
    const winner = toDo?.assigneeId === luis.personId ? 'Luis' : 'Eva'
    t.is(toDo?.status, ToDoStatus.TAKEN)
    t.is(lost[0]?.message, `${winner} is already on it. Nothing was changed.`)
  }
})

test('of two people who change what it says one is refused and nothing is lost; taking it meanwhile stays', async (t) => {
  const { family, luis } = await withLuis()
  const id = await add(family)
  const change = (token: string, text: string) =>
    careCircle.changeToDo({ toDoId: id, version: 1, lovedOneId: '', text, day: '2026-05-12' }, { token })
  const [first, second, taken] = await Promise.allSettled([
    change(family.owner, 'By the owner'),
    change(luis.token, 'By Luis'),
    act(luis.token, id, ToDoAction.TAKE),
  ])
  t.is(taken.status, 'fulfilled')
  t.deepEqual([first.status, second.status].toSorted(), ['fulfilled', 'rejected'])
  const [now] = await open(family)
  t.is(now?.text, first.status === 'fulfilled' ? 'By the owner' : 'By Luis')
  t.like(now, { assigneeId: luis.personId, day: '2026-05-12', version: 2 })
  await t.throwsAsync(change(family.owner, 'Again'), { message: /Somebody else has just changed this to-do/ })
})

test('it is given to a member, released by its holder only, done by anyone, and opened again', async (t) => {
  const { family, luis } = await withLuis()
  const { owner } = family
  const id = await add(family)
  const given = await act(owner, id, ToDoAction.HAND_OVER, luis.personId)
  t.is(given.toDo?.assigneeId, luis.personId)
  await t.throwsAsync(act(owner, id, ToDoAction.GIVE_BACK), { message: /Luis is already on it/ })
  t.is((await act(luis.token, id, ToDoAction.GIVE_BACK)).toDo?.status, ToDoStatus.OPEN)
  await act(luis.token, id, ToDoAction.TAKE)
  const done = await act(owner, id, ToDoAction.DONE)
  t.like(done.toDo, { status: ToDoStatus.DONE, assigneeId: '' })
  t.deepEqual(await open(family), [])
  const asOwner = { token: owner }
  t.is((await careCircle.listToDos({ lovedOneId: '', done: true }, asOwner)).toDos[0]?.id, id)
  await t.throwsAsync(act(luis.token, id, ToDoAction.TAKE), { message: /has marked this as done/ })
  await act(owner, id, ToDoAction.OPEN_AGAIN)
  t.is((await open(family))[0]?.id, id)
})

test('a removed one is in no list, cannot be taken, and comes back as it was', async (t) => {
  const { family, luis } = await withLuis()
  const asOwner = { token: family.owner }
  const id = await add(family, { assigneeId: luis.personId })
  for (let again = 0; again < 2; again += 1) await careCircle.removeToDo({ toDoId: id }, asOwner)
  t.deepEqual(await open(family), [])
  await t.throwsAsync(act(family.owner, id, ToDoAction.DONE), { message: /has removed this to-do/ })
  for (let again = 0; again < 2; again += 1) await careCircle.restoreToDo({ toDoId: id }, asOwner)
  t.like((await open(family))[0], { id, assigneeId: luis.personId, status: ToDoStatus.TAKEN })
})

test('viewers read it and change nothing, and nobody gives it to them', async (t) => {
  const family = await office.family()
  const id = await add(family)
  const asViewer = { token: family.viewer }
  t.is((await careCircle.listToDos({ lovedOneId: '', done: false }, asViewer)).toDos.length, 1)
  const change = { toDoId: id, version: 1, lovedOneId: '', text: 'x', day: '' }
  for (const attempt of [
    () => careCircle.addToDo(NEW, asViewer),
    () => careCircle.changeToDo(change, asViewer),
    () => act(family.viewer, id, ToDoAction.TAKE),
    () => careCircle.removeToDo({ toDoId: id }, asViewer),
    () => careCircle.restoreToDo({ toDoId: id }, asViewer),
  ])
    await t.throwsAsync(attempt as () => Promise<unknown>, { message: /Viewers/ })
  const reader = await office.join(family, Role.VIEWER, 'Marta')
  await t.throwsAsync(act(family.owner, id, ToDoAction.HAND_OVER, reader.personId), { message: /must be the owner or/ })
})

test('another family finds nothing of it', async (t) => {
  const [family, other] = [await office.family(), await office.family()]
  const id = await add(family)
  const asOther = { token: other.owner }
  t.deepEqual(await open(other), [])
  const change = { toDoId: id, version: 1, lovedOneId: '', text: 'x', day: '' }
  for (const attempt of [
    () => careCircle.getToDo({ toDoId: id }, asOther),
    () => careCircle.changeToDo(change, asOther),
    () => act(other.owner, id, ToDoAction.TAKE),
    () => careCircle.removeToDo({ toDoId: id }, asOther),
    () => careCircle.restoreToDo({ toDoId: id }, asOther),
  ])
    await t.throwsAsync(attempt as () => Promise<unknown>, { message: /no such to-do/ })
  const rosa = family.lovedOnes[0]?.id ?? ''
  for (const words of [{ lovedOneId: rosa }, { messageId: 'msg_1', messageLovedOneId: rosa }])
    await t.throwsAsync(add(other, words), { message: /no loved one/ })
  await t.throwsAsync(open(other, rosa), { message: /no loved one/ })
})

test('whoever is removed frees what they had taken, and what they did stays done', async (t) => {
  const { family, luis } = await withLuis()
  const [taken, done] = [await add(family, { assigneeId: luis.personId }), await add(family)]
  await act(luis.token, done, ToDoAction.DONE)
  await untilAnswered(() => careCircle.removeMember({ personId: luis.personId }, { token: family.owner }))
  t.like((await open(family))[0], { id: taken, status: ToDoStatus.OPEN, assigneeId: '', changedBy: '' })
  const { toDos } = await careCircle.listToDos({ lovedOneId: '', done: true }, { token: family.owner })
  t.is(toDos[0]?.id, done)
})

test('a family has at most 300 open ones, and says so', async (t) => {
  const family = await office.family()
  const { workspaceId } = family
  await using mongo = await openDatabase(office.stack, 'care-circle')
  const stored = { workspaceId, lovedOneId: '', text: 'x', status: 'open', addedBy: 'per_1', createdAt: new Date() }
  const rows = Array.from({ length: 299 }, (_, index) => ({
    ...stored,
    _id: `${workspaceId}/${index}` as never,
    version: 1,
  }))
  await mongo.db().collection('to_dos').insertMany(rows)
  const last = await add(family, { idempotencyKey: 'last' })
  await t.throwsAsync(add(family), { message: 'Your family has 300 open to-dos. Finish one first.' })
  t.is(await add(family, { idempotencyKey: 'last' }), last, 'the same again is not another one')
  t.is((await open(family)).length, 300)
  await act(family.owner, last, ToDoAction.DONE)
  await add(family, { day: shiftDay('2026-05-12', 1) })
  await t.throwsAsync(act(family.owner, last, ToDoAction.OPEN_AGAIN), { message: /300 open to-dos/ })
})
