import { MailboxAction, MailboxProblem, MailboxState, SenderCheck } from '@family-inbox/proto/inbox/v1/inbox'
import { untilAnswered } from '../_outcome.ts'
import { becomesTrue, readUntil, until } from '../_wait.ts'
import { isWorking, newScene, openMailboxTests } from './_mailboxes.ts'
import { deliver, plainMail } from './_smtp-client.ts'

const test = openMailboxTests()

test('a letter in an added mailbox is in the inbox within five seconds, and stays there unread', async (t) => {
  const { add, see, account, subjects, arrived } = await newScene(t.context)
  await account.deliver(plainMail('From before'))
  await add()
  await see(isWorking)
  for (const subject of ['First', 'Second', 'Third']) {
    const deliveredAt = await account.deliver(plainMail(subject))
    t.true(await becomesTrue(async () => (await subjects()).includes(subject), 5000, 20))
    t.log(`${Date.now() - deliveredAt} ms from delivery to visible`)
  }
  await arrived('First', 'Second', 'Third')
  t.deepEqual(await account.count(), { all: 4, seen: 0 })
  t.like(await see(({ fetched }) => fetched === 3), { tooLarge: 0 })
})

test('with the mail from before, all of it comes with its dates, and nobody is asked to act on it', async (t) => {
  const { office } = t.context
  const { add, account, arrived, workspaceId, lovedOne } = await newScene(t.context)
  const old = new Date('2025-03-01T10:00:00Z')
  const subjects = Array.from({ length: 60 }, (_, index) => `Old ${index}`)
  for (const subject of subjects) await account.deliver(plainMail(subject))
  await account.age(old)
  await add({ withEarlier: true })
  const messages = office.db.collection('messages')
  await until(async () => (await messages.countDocuments({ workspaceId })) === subjects.length)
  await account.deliver(plainMail('New'))
  await arrived(...subjects, 'New')
  t.is(await messages.countDocuments({ workspaceId, receivedAt: old }), subjects.length)
  await until(async () => (await messages.countDocuments({ workspaceId, indexPending: true })) === 0)
  const open = { workspaceId, lovedOneId: lovedOne.id, status: 'open' }
  t.is(await office.db.collection('conversation_statuses').countDocuments(open), 1)
})

test('fetched messages are marked as read, or move to another folder, if the family wants that', async (t) => {
  const marking = await newScene(t.context)
  await marking.add({ action: MailboxAction.MARK_READ })
  await marking.see(isWorking)
  await marking.account.deliver(plainMail('To mark'))
  await marking.arrived('To mark')
  await until(async () => (await marking.account.count()).seen === 1)

  const moving = await newScene(t.context)
  await moving.account.deliver(plainMail('Makes the folder'), 'Done')
  await moving.add({ action: MailboxAction.MOVE, moveTo: 'Done' })
  await moving.see(isWorking)
  await moving.account.deliver(plainMail('To move'))
  await moving.arrived('To move')
  await until(async () => (await moving.account.count('Done')).all === 2)
  await until(async () => (await moving.account.count()).all === 0)
  t.is((await moving.account.count('Done')).all, 2)
})

test('with a list of senders, only their mail comes, and the rest stays as it is', async (t) => {
  const { add, see, account, arrived } = await newScene(t.context)
  await add({ action: MailboxAction.MARK_READ, senders: ['@CLINIC.example', 'ana@family.example'] })
  await see(isWorking)
  const from = (author: string, subject: string) =>
    account.deliver(plainMail(subject).replace(/^From: .*/m, `From: ${author}`))
  await from('Shop <offers@shop.example>', 'Offer')
  await from('Lab <lab@results.clinic.example>', 'Result')
  await from('notclinic.example <x@notclinic.example>', 'Lookalike')
  await from('Ana <Ana@family.example>', 'Hello')
  await arrived('Result', 'Hello')
  await until(async () => (await account.count()).seen === 2)
  t.deepEqual(await account.count(), { all: 4, seen: 2 })
})

test('a letter that also came by SMTP, or was moved away and back, is in the inbox once', async (t) => {
  const { office } = t.context
  const { add, see, account, arrived, lovedOne } = await newScene(t.context)
  await add()
  await see(isWorking)
  const letter = plainMail('Twice')
  t.regex(await deliver(office.stack.smtpPort, lovedOne.address, letter), /^250/)
  await account.deliver(letter)
  await account.deliver(`Received: by another.example; Fri, 20 Nov 2026 10:00:00 +0000\r\n${letter}`)
  await account.deliver(plainMail('Last'))
  await arrived('Twice', 'Last')
  t.like(await see(({ fetched }) => fetched === 3), { tooLarge: 0 })
  await arrived('Twice', 'Last')
})

test('after a restored server gives all messages new numbers, nothing is missing and nothing comes twice', async (t) => {
  const { office } = t.context
  const { add, see, account, arrived, owner } = await newScene(t.context)
  await account.deliver(`${plainMail('Long before').replace(/^Date: .*/m, 'Date: Sun, 1 Mar 2020 10:00:00 +0000')}`)
  const mailboxId = await add()
  await see(isWorking)
  for (const subject of ['One', 'Two']) await account.deliver(plainMail(subject))
  await arrived('One', 'Two')
  await see(({ fetched }) => fetched === 2)
  const position = async () => (await office.db.collection('mailboxes').findOne({ _id: mailboxId as never }))?.position
  const before = await position()
  await untilAnswered(() => office.inbox.changeMailbox({ mailboxId, paused: true }, { token: owner }))
  await account.forgetUids()
  await account.deliver(plainMail('Three'))
  await untilAnswered(() => office.inbox.changeMailbox({ mailboxId, paused: false }, { token: owner }))
  await arrived('One', 'Two', 'Three')
  const after = await readUntil(position, (now) => now?.uidValidity !== before?.uidValidity && now?.lastUid >= 4)
  await arrived('One', 'Two', 'Three')
  t.is(after?.knownBelow, 5)
})

test('who sent a fetched letter is known only from a server that the owner named', async (t) => {
  const { office } = t.context
  const result = 'Authentication-Results: mx.test; dmarc=pass header.from=clinic.example\r\n'
  const checkOf = async (authservId: string) => {
    const { add, see, account, lovedOne } = await newScene(t.context)
    await add({}, { authservId })
    await see(isWorking)
    await account.deliver(result + plainMail('Proof'))
    const read = async () => (await office.messages(lovedOne))[0]?.check
    return readUntil(read, (check) => check !== undefined && check !== SenderCheck.UNSPECIFIED)
  }
  t.is(await checkOf(''), SenderCheck.NOT_VERIFIED)
  t.is(await checkOf('mx.other.test'), SenderCheck.NOT_VERIFIED)
  t.is(await checkOf('mx.test'), SenderCheck.VERIFIED)
})

test('the owner signs in at the provider instead of giving a password, and nobody else can finish it', async (t) => {
  const { office, provider } = t.context
  const { inbox, stack } = office
  const { add, see, account, arrived, owner: token, viewer, server } = await newScene(t.context)
  await account.deliver(plainMail('From before'))
  const mailboxId = await add(
    { withEarlier: true },
    { password: '', oauthProvider: 'microsoft', host: 'elsewhere.example' },
  )
  t.like(await see(() => true), {
    state: MailboxState.NOT_CONNECTED,
    server: { host: 'localhost' },
    oauthProvider: 'microsoft',
  })

  const begin = () => untilAnswered(() => inbox.beginMailboxConsent({ mailboxId }, { token }))
  const finish = (back: URLSearchParams, who = token) => {
    const [state, code] = [back.get('state') ?? '', back.get('code') ?? '']
    return untilAnswered(() => inbox.finishMailboxConsent({ state, code }, { token: who }))
  }
  const { authorizationUrl } = await begin()
  t.is(new URL(authorizationUrl).searchParams.get('login_hint'), server.userName)
  const back = await visit(authorizationUrl)
  t.true(back.href.startsWith(`${stack.inboxUrl}/settings/mailboxes/connected?`))
  const stranger = (await office.family()).owner
  for (const who of [viewer, stranger]) await t.throwsAsync(finish(back.searchParams, who), undefined, who)
  await t.throwsAsync(finish(new URLSearchParams({ state: 'made up', code: 'x' })), { message: /Try again/ })
  const forged = new URLSearchParams(back.search)
  forged.set('code', 'stolen')
  await t.throwsAsync(finish(forged), { message: /Try again/ })
  t.is((await see(() => true)).state, MailboxState.NOT_CONNECTED)
  await finish(back.searchParams)
  await arrived('From before')

  // A connection that ended is opened with the token that took the place of the first.
  await inbox.tryMailbox({ mailboxId }, { token })
  await account.deliver(plainMail('After the next sign-in'))
  await arrived('From before', 'After the next sign-in')
  await until(async () => provider.refreshed(server.userName) >= 2)

  provider.revoke(server.userName)
  await inbox.tryMailbox({ mailboxId }, { token })
  await see(({ problem }) => problem === MailboxProblem.CONSENT)
  await t.throwsAsync(inbox.changeMailbox({ mailboxId, password: 'instead' }, { token }), {
    message: /no such mailbox/,
  })
  await finish((await visit((await begin()).authorizationUrl)).searchParams)
  await account.deliver(plainMail('Connected again'))
  await arrived('From before', 'After the next sign-in', 'Connected again')
  const kept = JSON.stringify(await office.db.collection('mailboxes').find({}).toArray())
  t.true(provider.tokens().length > 0)
  t.false(provider.tokens().some((secret) => kept.includes(secret)))
})

/** Signs in at the provider and allows everything. @returns where the browser is sent back to */
async function visit(authorizationUrl: string): Promise<URL> {
  const { headers } = await fetch(authorizationUrl, { redirect: 'manual' })
  return new URL(headers.get('location') ?? '')
}

test('a mailbox that catches all mail of our domain brings each letter to the loved one it was for', async (t) => {
  const { add, see, account, lovedOnes, arrived, arrivedFor } = await newScene(t.context, 2)
  const [, other = { id: '', address: '' }] = lovedOnes
  await add()
  await see(isWorking)
  const [stranger] = (await t.context.office.family()).lovedOnes
  const fields = ['Delivered-To', 'X-Original-To', 'Envelope-To']
  for (const field of fields) await account.deliver(`${field}: ${other.address}\r\n${plainMail(field)}`)
  await account.deliver(`X-Original-To: ${stranger?.address}\r\n${plainMail('Of another family')}`)
  await account.deliver(plainMail('A copy').replace('<inbox@family.example>', other.address))
  await t.notThrowsAsync(arrived('Of another family', 'A copy'))
  await t.notThrowsAsync(arrivedFor(other, ...fields))
})
