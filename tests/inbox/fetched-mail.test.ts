import type { Stack } from '@family-inbox/local-stack/run-stack'
import { MailboxAction, MailboxEncryption, MailboxState } from '@family-inbox/proto/inbox/v1/inbox'
import anyTest, { type TestFn } from 'ava'
import { readUntil } from '../_wait.ts'
import { type Dovecot, HAS_DOVECOT, PASSWORD, startDovecot } from './_dovecot.ts'
import { openPostOffice, type PostOffice } from './_post-office.ts'
import { plainMail } from './_smtp-client.ts'

type Context = { office: PostOffice<Stack>; dovecot: Dovecot }

const test = (HAS_DOVECOT ? anyTest : anyTest.skip) as TestFn<Context>

anyTest.before(async (t) => {
  if (!HAS_DOVECOT) return
  const dovecot = await startDovecot()
  const serviceEnv = { NODE_EXTRA_CA_CERTS: dovecot.caFile, MAILBOXES_ON_PRIVATE_HOSTS: 'true' }
  t.context = { dovecot, office: await openPostOffice({ separate: ['inbox'], serviceEnv }) }
})
anyTest.after.always(async (t) => {
  const { office, dovecot } = t.context as Partial<Context>
  await office?.[Symbol.asyncDispose]()
  await dovecot?.[Symbol.asyncDispose]()
})

test('a letter in an added mailbox is in the inbox within seconds, and stays where it is', async (t) => {
  const { office, dovecot } = t.context
  const lovedOne = await office.lovedOne()
  const grandma = dovecot.account('grandma')
  const server = {
    host: dovecot.host,
    port: dovecot.tlsPort,
    encryption: MailboxEncryption.TLS,
    userName: 'grandma',
    folder: 'INBOX',
    authservId: '',
  }
  const handling = { action: MailboxAction.LEAVE, moveTo: '', senders: [], withEarlier: false }
  const { token, id: lovedOneId } = lovedOne
  await grandma.deliver(plainMail('From before'))
  await office.inbox.addMailbox({ lovedOneId, server, password: PASSWORD, handling }, { token })
  const list = () => office.inbox.listMailboxes({}, { token })
  await readUntil(list, ({ mailboxes }) => mailboxes[0]?.state === MailboxState.WORKING)
  const startedAt = await grandma.deliver(plainMail('Just now'))
  await readUntil(
    () => office.messages(lovedOne),
    (found) => found.length === 1,
  )
  t.log(`${Date.now() - startedAt} ms`)
  t.deepEqual(
    (await office.messages(lovedOne)).map(({ subject }) => subject),
    ['Just now'],
  )
  t.deepEqual(await grandma.count(), { all: 2, seen: 0 })
})
