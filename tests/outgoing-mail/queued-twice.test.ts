import { MailKind, OutgoingMail } from '@family-inbox/proto/mail/v1/mail'
import { natsLogin } from '@family-inbox/service-kit/nats/nats-identity'
import test from 'ava'
import { MongoClient } from 'mongodb'
import { connect } from 'nats'
import { startFamily } from '../_family.ts'
import { startMailSink } from '../_mail-sink.ts'

const TIMES = 8

test('a mail queued eight times and handled in parallel is sent once', async (t) => {
  await using sink = await startMailSink()
  await using f = await startFamily({ processes: 'seven', env: { SMTP_URL: sink.url } })
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
  for (let time = 0; time < TIMES; time += 1)
    await nats.jetstream().publish('mail.send.reply', OutgoingMail.encode(mail).finish(), { msgID: `copy ${time}` })
  f.stack.resume('inbox')
  const manager = await nats.jetstreamManager()
  const deadline = Date.now() + 60_000
  while ((await manager.streams.info('OUTGOING_MAIL')).state.messages > 0 && Date.now() < deadline)
    await new Promise((resolve) => setTimeout(resolve, 100))
  await nats.close()

  await using mongo = await new MongoClient(f.stack.databaseUri('inbox')).connect()
  const delivery = await mongo.db().collection<{ _id: string; state: string }>('deliveries').findOne({ _id: mail.id })
  t.is(delivery?.state, 'sent')
  t.is(sink.mails.filter(({ to }) => to.includes(mail.toAddress)).length, 1)
})
