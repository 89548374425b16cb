import { randomText } from '@family-inbox/service-kit/ids/ids'
import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import test from 'ava'
import { untilAnswered } from '../_outcome.ts'
import type { SharedStack } from '../_shared-stack.ts'
import { type Family, joinPostOffice, type LovedOne, type PostOffice } from './_post-office.ts'
import { connectSmtp, deliver, plainMail } from './_smtp-client.ts'

let office: PostOffice<SharedStack>
let family: Family
let strangers: Family

test.before(async () => {
  office = await joinPostOffice()
  family = await office.family(2)
  strangers = await office.family(1)
})
test.after.always(() => office?.[Symbol.asyncDispose]())

/** The result of a call as its caller sees it. */
async function outcome(call: Promise<unknown>): Promise<unknown> {
  try {
    return await call
  } catch (error) {
    const { status, message, detail } = error as StatusError
    return { status, message, detail }
  }
}

/** The reply to RCPT. */
async function recipientAnswer(address: string): Promise<string> {
  using client = await connectSmtp(office.stack.smtpPort)
  await client.say('EHLO clinic.example')
  await client.say('MAIL FROM:<desk@clinic.example>')
  return await client.say(`RCPT TO:<${address}>`)
}

const lovedOneOf = ({ lovedOnes }: Family, index = 0) => lovedOnes[index] as LovedOne
const list = (token: string, lovedOneId: string, pageSize = 0, pageToken = '') =>
  untilAnswered(() => office.inbox.listInboxMessages({ lovedOneId, pageSize, pageToken }, { token }))
const get = (token: string, lovedOneId: string, messageId: string) =>
  untilAnswered(() => office.inbox.getInboxMessage({ lovedOneId, messageId }, { token }))
const allocate = (token: string, lovedOneId: string) =>
  untilAnswered(() => office.inbox.allocateInboxAddress({ lovedOneId }, { token }))

test('a loved one has one address, even after many concurrent requests', async (t) => {
  const { workspaceId, owner, lovedOnes } = family
  const { id: lovedOneId, address } = lovedOneOf(family)
  const answers = await Promise.all(Array.from({ length: 8 }, () => allocate(owner, lovedOneId)))
  t.deepEqual(new Set(answers.map((answer) => answer.address)), new Set([address]))
  const { addresses } = await office.inbox.listInboxAddresses({}, { token: owner })
  const byId = (a: { lovedOneId: string }, b: { lovedOneId: string }) => a.lovedOneId.localeCompare(b.lovedOneId)
  t.deepEqual(
    addresses.sort(byId),
    lovedOnes.map((lovedOne) => ({ lovedOneId: lovedOne.id, address: lovedOne.address })).sort(byId),
  )
  t.regex(address, /^[0-9a-z]{16}@family-inbox\.test$/)
  t.false(address.includes(workspaceId))
})

test('a viewer sees addresses but cannot create one', async (t) => {
  const { addresses } = await office.inbox.listInboxAddresses({}, { token: family.viewer })
  t.is(addresses.length, 2)
  const attempt = allocate(family.viewer, lovedOneOf(family).id)
  await t.throwsAsync(attempt, { instanceOf: StatusError, message: /Viewers can read/ })
})

test('another workspace’s loved one looks like an unknown one', async (t) => {
  const foreign = lovedOneOf(strangers).id
  const missing = `lo_${randomText(26)}`
  for (const call of [
    (lovedOneId: string) => list(family.owner, lovedOneId),
    (lovedOneId: string) => get(family.owner, lovedOneId, 'msg_x'),
    (lovedOneId: string) => allocate(family.owner, lovedOneId),
    (lovedOneId: string) =>
      office.inbox.retireInboxAddress({ lovedOneId, address: lovedOneOf(strangers).address }, { token: family.owner }),
  ]) {
    const answers = await Promise.all([foreign, missing, '', '../x', `${foreign}/x`].map((id) => outcome(call(id))))
    for (const answer of answers) t.deepEqual(answer, answers[0])
    t.like(answers[0], { status: 'NOT_FOUND', detail: { field: 'lovedOneId' } })
  }
})

test('a message from another workspace or loved one looks like an unknown one', async (t) => {
  await deliver(office.stack.smtpPort, lovedOneOf(strangers).address, plainMail('Theirs'))
  await deliver(office.stack.smtpPort, lovedOneOf(family, 1).address, plainMail('The other one’s'))
  const theirs = (await list(strangers.owner, lovedOneOf(strangers).id)).messages[0]?.id ?? ''
  const sisters = (await list(family.owner, lovedOneOf(family, 1).id)).messages[0]?.id ?? ''
  t.regex(theirs, /^msg_/)
  t.regex(sisters, /^msg_/)
  const ids = [theirs, sisters, `msg_${randomText(26)}`, '', '../x', `${lovedOneOf(family, 1).id}/${sisters}`]
  const answers = await Promise.all(ids.map((id) => outcome(get(family.owner, lovedOneOf(family).id, id))))
  for (const answer of answers) t.deepEqual(answer, answers[0])
  t.like(answers[0], { status: 'NOT_FOUND', detail: { field: 'messageId' } })
  t.is((await get(family.viewer, lovedOneOf(family, 1).id, sisters)).message?.subject, 'The other one’s')
})

test('a person from another workspace can read nothing, even with the right ids', async (t) => {
  const { id } = lovedOneOf(family, 1)
  await deliver(office.stack.smtpPort, lovedOneOf(family, 1).address, plainMail('Private'))
  const messageId = (await list(family.owner, id)).messages[0]?.id ?? ''
  for (const call of [list(strangers.owner, id), get(strangers.owner, id, messageId)])
    t.like(await outcome(call), { status: 'NOT_FOUND', detail: { field: 'lovedOneId' } })
})

test('a retired address is refused at RCPT, its mail stays readable, and the new address is different', async (t) => {
  const { token, ...lovedOne } = await office.lovedOne()
  t.regex(await deliver(office.stack.smtpPort, lovedOne.address, plainMail('Before')), /^250/)
  const retire = (address: string) => office.inbox.retireInboxAddress({ lovedOneId: lovedOne.id, address }, { token })
  const addressesNow = async () => {
    const { addresses } = await office.inbox.listInboxAddresses({}, { token })
    return addresses.filter(({ lovedOneId }) => lovedOneId === lovedOne.id).map(({ address }) => address)
  }
  await Promise.all([retire(lovedOne.address), retire(lovedOne.address.toUpperCase())])
  t.is((await recipientAnswer(lovedOne.address)).slice(0, 3), '550')
  t.deepEqual(await addressesNow(), [])
  const [message] = await office.messages({ ...lovedOne, token })
  t.is(message?.subject, 'Before')
  const reply = office.inbox.replyToMessage(
    { messageId: message?.id ?? '', lovedOneId: '', body: 'Thanks', idempotencyKey: '' },
    { token },
  )
  t.like(await outcome(reply), { status: 'FAILED_PRECONDITION' })
  const given = await Promise.all(Array.from({ length: 8 }, () => allocate(token, lovedOne.id)))
  t.is(new Set(given.map(({ address }) => address)).size, 1)
  t.deepEqual(await addressesNow(), [given[0]?.address])
  t.not(given[0]?.address, lovedOne.address)
  await retire(lovedOne.address)
  t.is(
    (await recipientAnswer(String(given[0]?.address))).slice(0, 3),
    '250',
    'a late request does not retire the new address',
  )
  t.is((await recipientAnswer(lovedOne.address)).slice(0, 3), '550')
})

test('a viewer cannot retire an address, and another loved one’s address is not found', async (t) => {
  const { id: lovedOneId, address } = lovedOneOf(family)
  const retire = (token: string, wanted: string) =>
    outcome(office.inbox.retireInboxAddress({ lovedOneId, address: wanted }, { token }))
  t.like(await retire(family.viewer, address), { status: 'PERMISSION_DENIED' })
  const answers = await Promise.all(
    [lovedOneOf(family, 1).address, lovedOneOf(strangers).address, 'none@family-inbox.test', '', '@'].map((wanted) =>
      retire(family.owner, wanted),
    ),
  )
  for (const answer of answers) t.deepEqual(answer, answers[0])
  t.like(answers[0], { status: 'NOT_FOUND', detail: { field: 'address' } })
  t.regex(await deliver(office.stack.smtpPort, address, plainMail('Still taken')), /^250/)
})

test('a workspace’s messages come in pages, newest first, without duplicates', async (t) => {
  const lovedOne = await office.lovedOne()
  for (let index = 0; index < 7; index += 1)
    await deliver(office.stack.smtpPort, lovedOne.address, plainMail(`Mail ${index}`))
  const subjects: string[] = []
  let pageToken = ''
  do {
    const page = await list(lovedOne.token, lovedOne.id, 3, pageToken)
    t.true(page.messages.length <= 3)
    subjects.push(...page.messages.map(({ subject }) => subject))
    pageToken = page.nextPageToken
  } while (pageToken !== '')
  t.deepEqual(subjects, ['Mail 6', 'Mail 5', 'Mail 4', 'Mail 3', 'Mail 2', 'Mail 1', 'Mail 0'])
})

test('a page of 0 means 20, and one under 1 or over 50 is refused', async (t) => {
  const { id } = lovedOneOf(family)
  for (const pageSize of [-1, 51, 2_147_483_647, -2_147_483_648])
    t.like(await outcome(list(family.owner, id, pageSize)), { status: 'INVALID_ARGUMENT', detail: { field: 'limit' } })
  for (const pageSize of [0, 1, 50]) t.true('messages' in (await list(family.owner, id, pageSize)))
})

test('an invalid cursor is refused, and a forged one shows nothing from others', async (t) => {
  const { id } = lovedOneOf(family)
  for (const pageToken of [
    'x',
    '%%%',
    Buffer.from('[1]').toString('base64url'),
    Buffer.from('{"$gt":""}').toString('base64url'),
  ])
    t.like(await outcome(list(family.owner, id, 0, pageToken)), {
      status: 'INVALID_ARGUMENT',
      detail: { field: 'cursor' },
    })
  const forged = Buffer.from(JSON.stringify([Date.now() + 60_000, '~'])).toString('base64url')
  t.deepEqual((await list(family.owner, id, 0, forged)).messages, (await list(family.owner, id)).messages)
})

test('unauthenticated callers and services get nothing', async (t) => {
  const { id } = lovedOneOf(family)
  t.like(await outcome(list('not a token', id)), { status: 'UNAUTHENTICATED' })
  const asService = office.inbox.listInboxMessages({ lovedOneId: id, pageSize: 0, pageToken: '' })
  t.like(await outcome(asService), { status: 'PERMISSION_DENIED' })
})
