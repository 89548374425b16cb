import { identityKeys } from '@family-inbox/local-stack/secrets'
import { MailKind, OutgoingMail } from '@family-inbox/proto/mail/v1/mail'
import { NOTICE_HEADER } from '@family-inbox/service-kit/nats/nats'
import { natsLogin } from '@family-inbox/service-kit/nats/nats-identity'
import { createIdentity } from '@family-inbox/service-kit/rpc/identity'
import { signMail } from '@family-inbox/workspace-kit/outgoing-mail'
import test from 'ava'
import { connect, headers } from 'nats'
import { openDatabase } from '../_database.ts'
import { untilNoMailIsDue } from '../_due-mail.ts'
import { joinFamily } from '../_family.ts'

const TIMES = 8
const SUBJECT = 'mail.send.reply'

test('a mail queued eight times and handled in parallel is sent once', async (t) => {
  await using f = await joinFamily('mortal')
  const nats = await connect({ servers: f.stack.natsUrl, ...natsLogin(f.stack.opsKey) })
  const mail: OutgoingMail = {
    id: 'rep_of_eight',
    kind: MailKind.REPLY,
    workspaceId: '',
    toAddress: 'desk@clinic.example',
    toName: '',
    fromName: 'Ana',
    replyTo: '',
    subject: 'Once',
    text: 'Once only.',
    actionLabel: '',
    actionUrl: '',
    inReplyTo: '',
    references: [],
  }
  await f.stack.pause('inbox') // so that it finds all of them at the same time
  const { privateKeys, publicKeys } = await identityKeys(f.stack.dataDir)
  const bytes = OutgoingMail.encode(mail).finish()
  const fields = headers()
  fields.set(NOTICE_HEADER, await signMail(await createIdentity(privateKeys.inbox, publicKeys), SUBJECT, bytes))
  for (let time = 0; time < TIMES; time += 1)
    await nats.jetstream().publish(SUBJECT, bytes, { msgID: `copy ${time}`, headers: fields })
  f.stack.resume('inbox')
  await nats.close()
  await untilNoMailIsDue(f.stack, mail.workspaceId)

  await using mongo = await openDatabase(f.stack, 'inbox')
  const delivery = await mongo.db().collection<{ _id: string; state: string }>('deliveries').findOne({ _id: mail.id })
  t.is(delivery?.state, 'sent')
  t.is(f.sink.mails.filter(({ to }) => to.includes(mail.toAddress)).length, 1)
})
