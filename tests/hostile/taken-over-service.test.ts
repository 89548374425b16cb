import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { identities, identityKeys, type Identity as ServiceName } from '@family-inbox/local-stack/secrets'
import { waitFor } from '@family-inbox/local-stack/wait-for'
import { connect as connectServices } from '@family-inbox/ops/services'
import { AuthServiceService } from '@family-inbox/proto/auth/v1/auth'
import { CareCircleServiceService } from '@family-inbox/proto/carecircle/v1/care_circle'
import { InboxServiceService } from '@family-inbox/proto/inbox/v1/inbox'
import { MailKind, OutgoingMail } from '@family-inbox/proto/mail/v1/mail'
import { newId, randomText } from '@family-inbox/service-kit/ids/ids'
import { NOTICE_HEADER } from '@family-inbox/service-kit/nats/nats'
import { natsLogin } from '@family-inbox/service-kit/nats/nats-identity'
import { createIdentity, type Identity } from '@family-inbox/service-kit/rpc/identity'
import { signMail } from '@family-inbox/workspace-kit/outgoing-mail'
import anyTest, { type TestFn } from 'ava'
import { connect as connectNats, headers } from 'nats'
import { dialPatiently } from '../_dial-patiently.ts'
import { type Guest, joinFamily } from '../_family.ts'
import type { Sink } from '../_mail-sink.ts'
import { statusOf, untilAnswered } from '../_outcome.ts'

type World = { f: Guest & { sink: Sink }; identityOf(service: ServiceName): Promise<Identity>; principal: string }

const test = anyTest as TestFn<World>

const SERVICES = identities.filter((name) => name !== 'ops')
const REFUSED = 'UNAUTHENTICATED'

test.before(async (t) => {
  const f = await joinFamily('standard', { withMail: true })
  const { privateKeys, publicKeys } = await identityKeys(f.stack.dataDir)
  const identityOf = (service: ServiceName) => createIdentity(privateKeys[service], publicKeys)
  using ops = await connectServices(f.stack.target)
  const person = { email: `${randomText(10)}@almeida.example`, name: 'Ana Almeida' }
  t.context = { f, identityOf, principal: (await ops.auth.createPerson(person)).principal }
})
test.after.always(async (t) => {
  await t.context.f?.[Symbol.asyncDispose]()
})

test('a removal that its signer did not publish deletes nothing', async (t) => {
  const { f, identityOf } = t.context
  const { stack, family } = f
  const forger = await identityOf('inbox')
  const stolen = await forger.signNotice('removal.workspace', family.workspaceId)
  const misused = await (await identityOf('care-circle')).signNotice('removal.person', family.workspaceId)
  const nats = await connectNats({ servers: stack.natsUrl, ...natsLogin(stack.opsKey) })
  const before = (await refusedRemovals(stack.dataDir)).length
  const forged = [family.workspaceId, stolen, misused]
  for (const body of forged) await nats.jetstream().publish('removal.workspace', body)
  await nats.close()
  await waitFor(async () => (await refusedRemovals(stack.dataDir)).length >= before + forged.length || undefined, {
    timeoutMs: 30_000,
    timeout: () => new Error('nobody has read the removals'),
  })
  const { json } = await f.call(family.keys.owner, 'list_family_members')
  t.falsy(json.error ?? json.result.isError)
})

for (const service of SERVICES.filter((name) => name !== 'auth')) {
  test(`${service} cannot use a principal that was issued to another service`, async (t) => {
    const { f, identityOf, principal: token } = t.context
    const identity = await identityOf(service)
    const { auth, inbox, 'care-circle': careCircle } = f.stack.addresses
    const clients = {
      auth: dialPatiently(AuthServiceService, auth ?? '', identity),
      careCircle: dialPatiently(CareCircleServiceService, careCircle ?? '', identity),
      inbox: dialPatiently(InboxServiceService, inbox ?? '', identity),
    }
    t.is(await answerTo(() => clients.auth.listSessions({ pageSize: 0, pageToken: '' }, { token })), REFUSED)
    t.is(await answerTo(() => clients.auth.deleteAccount({}, { token })), REFUSED)
    t.is(await answerTo(() => clients.careCircle.listWorkspaces({}, { token })), REFUSED)
    t.is(await answerTo(() => clients.inbox.listInboxAddresses({}, { token })), REFUSED)
    for (const client of Object.values(clients)) client.close()
  })
}

test('the gateway cannot change an account with a principal for tool calls', async (t) => {
  const { f, identityOf } = t.context
  const claims = { personId: 'per_1', workspaceId: '', credentialId: 'key_1', email: 'ana@almeida.example' }
  const token = await (await identityOf('auth')).principalToken(claims, 'gateway')
  const gateway = await identityOf('gateway')
  const auth = dialPatiently(AuthServiceService, f.stack.addresses.auth ?? '', gateway)
  const careCircle = dialPatiently(CareCircleServiceService, f.stack.addresses['care-circle'] ?? '', gateway)
  t.is(await answerTo(() => auth.mintToolKey({ name: 'Mine', scopes: [] }, { token })), REFUSED)
  t.is(await answerTo(() => careCircle.listWorkspaces({}, { token })), 'OK')
  auth.close()
  careCircle.close()
})

test('a mail is sent only if the service that sends mail of its kind signed it', async (t) => {
  const { f, identityOf } = t.context
  const { stack, sink } = f
  const nats = await connectNats({ servers: stack.natsUrl, ...natsLogin(stack.opsKey) })
  const [auth, careCircle] = await Promise.all([identityOf('auth'), identityOf('care-circle')])
  async function publish(subject: string, kind: MailKind, signer?: Identity, change = '') {
    const toAddress = `${randomText(10)}@victim.example`
    const empty = OutgoingMail.decode(new Uint8Array())
    const mail = { ...empty, id: newId('mail'), kind, toAddress, subject: 'Hello', text: 'Hello' }
    const encode = (text: string) => OutgoingMail.encode({ ...mail, text }).finish()
    const fields = headers()
    if (signer) fields.set(NOTICE_HEADER, await signMail(signer, subject, encode('Hello')))
    await nats.jetstream().publish(subject, encode(`Hello${change}`), { headers: fields })
    return toAddress
  }
  const [reply, code] = ['mail.send.reply', 'mail.send.sign-in-code']
  const forged = [
    await publish(reply, MailKind.REPLY),
    await publish(reply, MailKind.REPLY, careCircle),
    await publish(code, MailKind.REPLY, auth),
    await publish(code, MailKind.SIGN_IN_CODE, auth, ' and more'),
  ]
  await sink.waitFor(await publish(code, MailKind.SIGN_IN_CODE, auth))
  const refusals = await refusedBy('inbox', stack.dataDir, 'mail.send.')
  t.is(refusals.length, forged.length)
  t.false(sink.mails.some(({ to }) => forged.includes(to[0] ?? '')))
  await nats.close()
})

test('a token for one service is refused by every other', async (t) => {
  const { f, identityOf } = t.context
  const site = await identityOf('site')
  const form = { clientAddress: '203.0.113.9', email: `${randomText(10)}@almeida.example` }
  for (const [audience, expected] of [
    ['inbox', REFUSED],
    ['family-inbox', REFUSED],
    ['auth', 'OK'],
  ] as const) {
    const overheard = { ...site, serviceToken: () => site.serviceToken(audience) }
    const auth = dialPatiently(AuthServiceService, f.stack.addresses.auth ?? '', overheard)
    t.is(await answerTo(() => auth.startSignIn(form)), expected, audience)
    auth.close()
  }
})

test('a principal without a calling service is refused', async (t) => {
  const { f, identityOf, principal } = t.context
  const thief = { ...(await identityOf('inbox')), serviceToken: async () => principal }
  const careCircle = dialPatiently(CareCircleServiceService, f.stack.addresses['care-circle'] ?? '', thief)
  t.is(await answerTo(() => careCircle.listWorkspaces({})), REFUSED)
  t.is(await answerTo(() => careCircle.listWorkspaces({}, { token: principal })), REFUSED)
  careCircle.close()
})

test('no service exceeds its NATS permissions', async (t) => {
  const log = await readFile(join(t.context.f.stack.dataDir, 'logs', 'nats-server.log'), 'utf8')
  t.deepEqual(
    log.split('\n').filter((line) => /violation|authentication error/i.test(line)),
    [],
  )
})

function refusedRemovals(dataDir: string): Promise<string[]> {
  return refusedBy('care-circle', dataDir, 'removal.')
}

/** The service may share its process and log with the others. @param subjects how they begin */
async function refusedBy(service: string, dataDir: string, subjects: string): Promise<string[]> {
  const folder = join(dataDir, 'logs')
  const name = (await readdir(folder)).includes(`${service}.log`) ? service : 'services'
  const lines = (await readFile(join(folder, `${name}.log`), 'utf8')).split('\n')
  return lines.filter(
    (line) =>
      line.includes('not signed by the service that may send it') &&
      line.includes(`"service":"${service}"`) &&
      line.includes(`"subject":"${subjects}`),
  )
}

/** `OK`, or why it was refused. */
function answerTo(call: () => Promise<unknown>): Promise<string> {
  return statusOf(untilAnswered(call))
}
