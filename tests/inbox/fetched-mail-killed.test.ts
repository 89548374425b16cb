import { MailboxAction, MailboxEncryption } from '@family-inbox/proto/inbox/v1/inbox'
import { crashLine } from '@family-inbox/service-kit/lifecycle/crash-point'
import { countLines } from '../_count-lines.ts'
import { until } from '../_wait.ts'
import { isWorking, newScene, openMailboxTests } from './_mailboxes.ts'
import { startSecondInbox } from './_second-inbox.ts'
import { plainMail } from './_smtp-client.ts'

const test = openMailboxTests()

test('wherever inbox dies, each letter is in the inbox once and is moved', async (t) => {
  const { stack } = t.context.office
  const { add, see, account, arrived, subjects } = await newScene(t.context)
  await account.deliver(plainMail('Makes the folder'), 'Done')
  await add({ action: MailboxAction.MOVE, moveTo: 'Done' })
  await see(isWorking)
  const points = ['message-stored', 'fetched-mail-handled', 'mailbox-advanced']
  stack.crashAt('inbox', points)
  await stack.restart('inbox')
  for (const point of points) {
    await account.deliver(plainMail(`At ${point}`))
    await until(async () => countLines(stack.logs('inbox'), crashLine(point)) === 1)
  }
  stack.kill('inbox')
  await account.deliver(plainMail('While it was dead'))
  const all = [...points.map((point) => `At ${point}`), 'While it was dead']
  await arrived(...all)
  await until(async () => (await account.count('Done')).all === all.length + 1)
  t.deepEqual((await subjects()).sort(), all.sort())
})

test('of two replicas, one fetches a mailbox, and the other takes over when it ends', async (t) => {
  const { office, dovecot } = t.context
  const env = { MAILBOXES_ON_PRIVATE_HOSTS: 'true' }
  const { add, see, account, arrived } = await newScene(t.context)
  {
    await using _second = await startSecondInbox(office.stack, { env })
    // Without encryption, because this process does not trust the server's certificate.
    await add({}, { encryption: MailboxEncryption.NONE, port: dovecot.plainPort })
    await see(isWorking)
    await account.deliver(plainMail('With two'))
    await arrived('With two')
    t.is(await dovecot.logins(account.userName), 1)
    await office.stack.restart('inbox')
    await account.deliver(plainMail('After a restart'))
    await arrived('With two', 'After a restart')
  }
  await account.deliver(plainMail('With one again'))
  await arrived('With two', 'After a restart', 'With one again')
})
