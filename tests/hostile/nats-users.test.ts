import { identityKeys, type Identity as ServiceName } from '@family-inbox/local-stack/secrets'
import { startStack } from '@family-inbox/local-stack/stack'
import { natsLogin } from '@family-inbox/service-kit/nats/nats-identity'
import anyTest, { type TestFn } from 'ava'
import { connect, type NatsConnection } from 'nats'

type World = { url: string; stop(): Promise<void>; loginOf(service: ServiceName): ReturnType<typeof natsLogin> }

const test = anyTest as TestFn<World>

const USERS = ['auth', 'care-circle', 'inbox', 'sandbox', 'pipe'] as const
type User = (typeof USERS)[number]

/** A real nats-server as `npm start` runs it, without the services. */
test.before(async (t) => {
  const stack = await startStack({ services: [] })
  const { privateKeys } = await identityKeys(stack.dataDir)
  t.context = { url: stack.natsUrl, stop: stack.stop, loginOf: (service) => natsLogin(privateKeys[service]) }
})
test.after.always((t) => t.context.stop?.())

/** Subjects an attacker inside a service would publish to, and which users may. */
const PUBLISHERS: Record<string, readonly User[]> = {
  'removal.workspace': ['care-circle'],
  'removal.person': ['auth'],
  'mail.send.alarm': ['auth'],
  'mail.send.sign-in-code': ['auth'],
  'mail.send.appointment': ['care-circle'],
  'mail.send.invitation': ['care-circle'],
  'mail.send.reply': ['inbox'],
  'mail.send.new-mail': ['inbox'],
  'mail.send.test': ['inbox'],
  'mail.send.other': [],
  'care.events.accepted': ['care-circle', 'pipe'],
  'care.events.other': [],
  'calendar.changes.mail': ['inbox'],
  'calendar.changes.other': [],
  'proposals.invitation': ['care-circle'],
  'proposals.other': [],
  'inbox.live.wsp_1': ['inbox'],
  'ops.sandbox.started': ['sandbox'],
  '$JS.API.STREAM.UPDATE.REMOVALS': ['care-circle'],
  '$JS.API.STREAM.UPDATE.OUTGOING_MAIL': ['inbox'],
  '$JS.API.STREAM.UPDATE.CARE_EVENTS': ['pipe'],
  '$JS.API.STREAM.UPDATE.CALENDAR_CHANGES': ['inbox'],
  '$JS.API.STREAM.UPDATE.PROPOSALS': ['inbox'],
  '$JS.API.STREAM.CREATE.MINE': [],
  '$JS.API.STREAM.DELETE.REMOVALS': [],
  '$JS.API.STREAM.PURGE.OUTGOING_MAIL': [],
  '$JS.API.STREAM.MSG.GET.OUTGOING_MAIL': ['inbox'],
  '$JS.API.STREAM.MSG.GET.REMOVALS': [],
  '$JS.API.STREAM.MSG.GET.CARE_EVENTS': ['pipe'],
  '$JS.API.STREAM.MSG.DELETE.CARE_EVENTS': ['pipe'],
  '$JS.API.STREAM.MSG.DELETE.OUTGOING_MAIL': ['inbox'],
  '$JS.API.STREAM.MSG.DELETE.CALENDAR_CHANGES': ['care-circle'],
  '$JS.API.STREAM.MSG.DELETE.PROPOSALS': ['inbox'],
  '$JS.API.STREAM.SNAPSHOT.CARE_EVENTS': [],
  '$JS.API.DIRECT.GET.REMOVALS': [],
  '$JS.API.CONSUMER.MSG.NEXT.OUTGOING_MAIL.inbox-sender': ['inbox'],
  '$JS.API.CONSUMER.MSG.NEXT.CARE_EVENTS.care-timeline': ['care-circle'],
  '$JS.API.CONSUMER.MSG.NEXT.CALENDAR_CHANGES.care-appointments': ['care-circle'],
  '$JS.API.CONSUMER.MSG.NEXT.PROPOSALS.inbox-proposals': ['inbox'],
  '$JS.API.CONSUMER.MSG.NEXT.REMOVALS.auth-removals': ['auth'],
  '$JS.API.CONSUMER.CREATE.OUTGOING_MAIL.spy': [],
  '$JS.API.CONSUMER.CREATE.OUTGOING_MAIL': [],
  '$JS.API.CONSUMER.CREATE.CARE_EVENTS.care-timeline': ['care-circle'],
  '$JS.API.CONSUMER.DELETE.REMOVALS.inbox-removals': [],
  '$JS.ACK.REMOVALS.pipe-removals.1.1.1.1.0': ['pipe'],
  '$JS.ACK.OUTGOING_MAIL.inbox-sender.1.1.1.1.0': ['inbox'],
  '_INBOX.auth.reply.1': [],
  '$SYS.REQ.SERVER.PING': [],
}

/** The same for subscriptions. */
const SUBSCRIBERS: Record<string, readonly User[]> = {
  '>': [],
  'removal.>': [],
  'mail.send.>': [],
  'care.events.>': [],
  'inbox.live.wsp_1': ['inbox'],
  'inbox.live.*': ['inbox'],
  'ops.>': [],
  '$JS.API.>': [],
  '$JS.ACK.>': [],
  '_INBOX.>': [],
  '_INBOX.auth.reply.*': ['auth'],
  '_INBOX.inbox.reply.*': ['inbox'],
}

for (const user of USERS) {
  test(`${user} can publish and subscribe only to its own subjects`, async (t) => {
    const nats = await connect({ servers: t.context.url, timeout: 60_000, ...t.context.loginOf(user) })
    const refused = await refusals(nats, () => {
      for (const subject of Object.keys(PUBLISHERS)) nats.publish(subject, 'x')
      for (const subject of Object.keys(SUBSCRIBERS)) nats.subscribe(subject, { callback() {} })
    })
    const foreign = (owners: Record<string, readonly User[]>) =>
      Object.keys(owners).filter((subject) => !owners[subject]?.includes(user))
    t.deepEqual(refused.publish.sort(), foreign(PUBLISHERS).sort())
    t.deepEqual(refused.subscription.sort(), foreign(SUBSCRIBERS).sort())
    await nats.close()
  })
}

test('nobody can connect without a key, or as a service without NATS access', async (t) => {
  const { url, loginOf } = t.context
  const refused = { code: 'AUTHORIZATION_VIOLATION' }
  await t.throwsAsync(connect({ servers: url }), refused)
  await t.throwsAsync(connect({ servers: url, user: 'inbox', pass: 'inbox' }), refused)
  await t.throwsAsync(connect({ servers: url, ...natsLogin({ service: 'auth', d: 'A'.repeat(43) }) }), refused)
  for (const service of ['gateway', 'site'] as const)
    await t.throwsAsync(connect({ servers: url, ...loginOf(service) }), refused, service)
})

/** What nats-server refuses, by kind. */
async function refusals(nats: NatsConnection, ask: () => void) {
  const refused = { publish: [] as string[], subscription: [] as string[] }
  const listening = (async () => {
    for await (const { type, permissionContext } of nats.status() as AsyncIterable<Status>)
      if (type === 'error' && permissionContext) refused[permissionContext.operation].push(permissionContext.subject)
  })()
  ask()
  await nats.flush()
  await nats.flush() // the first one's errors have arrived now
  listening.catch(() => {})
  return refused
}

type Status = { type: string; permissionContext?: { operation: 'publish' | 'subscription'; subject: string } }
