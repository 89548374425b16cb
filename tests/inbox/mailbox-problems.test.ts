import { readFile } from 'node:fs/promises'
import { freePort } from '@family-inbox/local-stack/free-port'
import { Role } from '@family-inbox/proto/carecircle/v1/care_circle'
import {
  type FetchedMailbox,
  MailboxAction,
  MailboxEncryption,
  MailboxProblem,
  MailboxState,
} from '@family-inbox/proto/inbox/v1/inbox'
import type { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import { untilAnswered } from '../_outcome.ts'
import { readUntil } from '../_wait.ts'
import { PASSWORD } from './_dovecot.ts'
import { addOnce, isWorking, newScene, openMailboxTests } from './_mailboxes.ts'
import { joinPostOffice } from './_post-office.ts'
import { plainMail } from './_smtp-client.ts'

const test = openMailboxTests()
const isFailing = (problem: MailboxProblem) => (mailbox: FetchedMailbox) => mailbox.problem === problem

test('a wrong password is named, given up after three tries, which the owner hears once, and a right one is used at once', async (t) => {
  const { office } = t.context
  const { add, see, account, arrived, owner, workspaceId } = await newScene(t.context)
  const mailboxId = await add({}, { password: 'not the password' })
  const failing = await see(isFailing(MailboxProblem.PASSWORD))
  t.is(failing.state, MailboxState.FAILING)
  t.true((failing.nextTryAt?.getTime() ?? 0) > Date.now())
  const mailboxes = office.db.collection('mailboxes')
  await mailboxes.updateOne({ workspaceId }, { $set: { failures: 2, dueAt: new Date() } })
  await see(({ state }) => state === MailboxState.GIVEN_UP)
  const mails = office.db.collection<{ _id: string }>('deliveries').find({ _id: /^mailbox-/ as never, workspaceId })
  t.is(
    (
      await readUntil(
        () => mails.clone().toArray(),
        (found) => found.length > 0,
      )
    ).length,
    1,
  )
  await untilAnswered(() => office.inbox.tryMailbox({ mailboxId }, { token: owner }))
  await see(({ state }) => state === MailboxState.FAILING)
  await untilAnswered(() => office.inbox.changeMailbox({ mailboxId, password: PASSWORD }, { token: owner }))
  await see(isWorking)
  await account.deliver(plainMail('At last'))
  await arrived('At last')
  const row = JSON.stringify(await mailboxes.findOne({ workspaceId }))
  t.false(row.includes(PASSWORD))
  t.notRegex(await readFile(office.stack.logs('inbox'), 'utf8'), /abcdefghijklmnop|not the password|rosa-/)
})

test('a server that cannot be reached, or has a certificate of another name, is named, and so is a missing folder', async (t) => {
  const { dovecot } = t.context
  const cases: [MailboxProblem, Parameters<Awaited<ReturnType<typeof newScene>>['add']>][] = [
    [MailboxProblem.UNREACHABLE, [{}, { port: await freePort() }]],
    [MailboxProblem.UNREACHABLE, [{}, { host: 'nobody.invalid' }]],
    [MailboxProblem.CERTIFICATE, [{}, { host: '127.0.0.1' }]],
    [
      MailboxProblem.CERTIFICATE,
      [{}, { host: '127.0.0.1', port: dovecot.plainPort, encryption: MailboxEncryption.STARTTLS }],
    ],
    [MailboxProblem.FOLDER, [{}, { folder: 'Nowhere' }]],
  ]
  for (const [problem, asked] of cases) {
    const { add, see } = await newScene(t.context)
    await add(...asked)
    await see(isFailing(problem))
  }
  t.pass()
})

test('STARTTLS works, and a folder to move to can be made after the first failure', async (t) => {
  const { office, dovecot } = t.context
  const { add, see, account, arrived, owner } = await newScene(t.context)
  const mailboxId = await add(
    { action: MailboxAction.MOVE, moveTo: 'Done' },
    { port: dovecot.plainPort, encryption: MailboxEncryption.STARTTLS },
  )
  await see(isWorking)
  await account.deliver(plainMail('Stays first'))
  await see(isFailing(MailboxProblem.MOVE_FOLDER))
  await account.deliver(plainMail('Makes the folder'), 'Done')
  await untilAnswered(() => office.inbox.tryMailbox({ mailboxId }, { token: owner }))
  await see(isWorking)
  await arrived('Stays first')
  t.deepEqual(await account.count('Done'), { all: 2, seen: 0 })
})

test('mail keeps coming after the server was away, and stops when the mailbox is paused or removed', async (t) => {
  const { office, dovecot } = t.context
  const { add, see, account, arrived, owner } = await newScene(t.context)
  const mailboxId = await add()
  await see(isWorking)
  await dovecot.stop()
  await account.deliver(plainMail('While it was away'))
  await see(isFailing(MailboxProblem.UNREACHABLE))
  await dovecot.start()
  await untilAnswered(() => office.inbox.tryMailbox({ mailboxId }, { token: owner }))
  await arrived('While it was away')

  await untilAnswered(() => office.inbox.changeMailbox({ mailboxId, paused: true }, { token: owner }))
  await account.deliver(plainMail('While paused'))
  await untilAnswered(() => office.inbox.tryMailbox({ mailboxId }, { token: owner }))
  t.is((await see(() => true)).state, MailboxState.PAUSED)
  await untilAnswered(() => office.inbox.changeMailbox({ mailboxId, paused: false }, { token: owner }))
  await arrived('While it was away', 'While paused')
  await untilAnswered(() => office.inbox.removeMailbox({ mailboxId }, { token: owner }))
  t.deepEqual((await untilAnswered(() => office.inbox.listMailboxes({}, { token: owner }))).mailboxes, [])
})

test('a full storage is named, and the letter comes when there is space', async (t) => {
  const { office } = t.context
  const { add, see, account, arrived, owner, workspaceId } = await newScene(t.context)
  const mailboxId = await add()
  await see(isWorking)
  await account.deliver(plainMail('First'))
  await arrived('First')
  const uses = office.db.collection('storage_use')
  await uses.updateOne(
    { _id: workspaceId as never },
    { $set: { bytes: 1e15, countedAt: new Date(Date.now() + 60_000) } },
  )
  await account.deliver(plainMail('Too much'))
  await see(isFailing(MailboxProblem.STORAGE_FULL))
  await uses.updateOne({ _id: workspaceId as never }, { $set: { bytes: 0 } })
  await untilAnswered(() => office.inbox.tryMailbox({ mailboxId }, { token: owner }))
  await arrived('First', 'Too much')
  t.is((await see(isWorking)).problem, MailboxProblem.UNSPECIFIED)
})

test('a viewer and a coordinator see a mailbox without its password; only the owner changes it, and strangers find nothing', async (t) => {
  const { office } = t.context
  const { inbox } = office
  const { add, see, owner, viewer, workspaceId, server, lovedOne } = await newScene(t.context)
  const mailboxId = await add()
  await see(isWorking)
  const stranger = (await office.family()).owner
  const { token: coordinator } = await office.join(
    { workspaceId, owner, viewer, lovedOnes: [] },
    Role.COORDINATOR,
    'Rita',
  )
  t.deepEqual((await untilAnswered(() => inbox.listMailboxes({}, { token: stranger }))).mailboxes, [])
  const seen = await untilAnswered(() => inbox.listMailboxes({}, { token: viewer }))
  t.is(seen.mailboxes.length, 1)
  t.false(JSON.stringify(seen).includes(PASSWORD))

  const handling = { action: MailboxAction.LEAVE, moveTo: '', senders: [], withEarlier: false }
  const request = {
    lovedOneId: lovedOne.id,
    server: { ...server, folder: 'Other' },
    password: PASSWORD,
    handling,
    oauthProvider: '',
  }
  const refused = async (call: () => Promise<unknown>) =>
    (await t.throwsAsync<StatusError>(untilAnswered(call)))?.status
  for (const token of [viewer, coordinator]) {
    t.is(await refused(() => inbox.addMailbox(request, { token })), 'PERMISSION_DENIED')
    t.is(await refused(() => inbox.changeMailbox({ mailboxId, paused: true }, { token })), 'PERMISSION_DENIED')
    t.is(await refused(() => inbox.removeMailbox({ mailboxId }, { token })), 'PERMISSION_DENIED')
  }
  t.is(await refused(() => inbox.tryMailbox({ mailboxId }, { token: viewer })), 'PERMISSION_DENIED')
  t.is(await refused(() => inbox.addMailbox(request, { token: stranger })), 'NOT_FOUND')
  t.is(await refused(() => inbox.changeMailbox({ mailboxId, password: 'x' }, { token: stranger })), 'NOT_FOUND')
  t.is(await refused(() => inbox.tryMailbox({ mailboxId }, { token: stranger })), 'NOT_FOUND')
  await untilAnswered(() => inbox.removeMailbox({ mailboxId }, { token: stranger }))
  await untilAnswered(() => inbox.tryMailbox({ mailboxId }, { token: coordinator }))
  await see(isWorking)
  t.is(await refused(() => inbox.addMailbox({ ...request, server }, { token: owner })), 'ALREADY_EXISTS')
})

test('elsewhere, a private host is refused, and so is any port or connection but the standard ones', async (t) => {
  await using office = await joinPostOffice()
  const { owner: token, lovedOnes } = await office.family()
  const handling = { action: MailboxAction.LEAVE, moveTo: '', senders: [], withEarlier: false }
  const add = (host: string, port: number, encryption: MailboxEncryption) => {
    const server = { host, port, encryption, userName: 'rosa', folder: '', authservId: '' }
    const request = { lovedOneId: lovedOnes[0]?.id ?? '', server, password: 'x', handling, oauthProvider: '' }
    return addOnce(office, request, token)
  }
  for (const [port, encryption] of [
    [8080, MailboxEncryption.TLS],
    [993, MailboxEncryption.STARTTLS],
    [143, MailboxEncryption.TLS],
    [143, MailboxEncryption.NONE],
  ] as const)
    await t.throwsAsync(add('imap.example.org', port, encryption), { message: /must be/ })
  await add('localhost', 993, MailboxEncryption.TLS)
  const list = async () => (await untilAnswered(() => office.inbox.listMailboxes({}, { token }))).mailboxes
  const [found] = await readUntil(list, ([one]) => one?.problem === MailboxProblem.PRIVATE_HOST)
  t.is(found?.state, MailboxState.FAILING)
})
