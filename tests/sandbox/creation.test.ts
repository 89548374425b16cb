import { natsLogin } from '@family-inbox/service-kit/nats/nats-identity'
import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import test from 'ava'
import { connect } from 'nats'
import { becomesTrue, readUntil } from '../_wait.ts'
import { connectSmtp, deliver, plainMail } from '../inbox/_smtp-client.ts'
import { NOTHING, recordsOf } from './_records.ts'
import { request, type Sandboxes, startSandboxes } from './_sandbox.ts'

let s: Sandboxes

test.before(async () => {
  s = await startSandboxes(['care-circle', 'inbox', 'sandbox'], { separate: ['inbox'] })
})
test.after.always(() => s?.[Symbol.asyncDispose]())

const open = (change = {}) => s.sandbox.startWorkspace(request(change), { deadline: Date.now() + 5000 })

/** Expires a sandbox. */
async function expire(workspaceId: string): Promise<void> {
  const past = new Date(Date.now() - 1000)
  await s.rows('sandbox', 'sandboxes').updateOne({ _id: workspaceId }, { $set: { expiresAt: past, dueAt: past } })
}

test('a sandbox is an ordinary workspace, marked as a sandbox, with a synthetic owner', async (t) => {
  const { workspaceId, lovedOneId, inboxAddress } = await open({ familyName: 'Casa Silva' })
  const workspace = await s.rows('care-circle', 'workspaces').findOne({ _id: workspaceId })
  t.like(workspace, { name: 'Casa Silva', plan: 'family', sandbox: true })
  const [owner, ...others] = await s.rows('care-circle', 'members').find({ workspaceId }).toArray()
  t.deepEqual(others, [])
  t.like(owner, { role: 'ROLE_OWNER', email: '', personId: 'synthetic-owner' })
  t.like(await s.rows('care-circle', 'loved_ones').findOne({ _id: lovedOneId }), { workspaceId, name: 'Rosa Silva' })
  const address = await s.rows('inbox', 'inbox_addresses').findOne({ workspaceId, lovedOneId })
  t.true(inboxAddress.startsWith(`${address?.localPart}@`))
})

test('only the gateway can start a sandbox, and only the sandbox service can change its records', async (t) => {
  const { token } = await s.person('ana@silva.example')
  const refused = { instanceOf: StatusError, message: 'Only certain services may make this call.' }
  await t.throwsAsync(s.sandbox.startWorkspace(request(), { token }), refused)
  await t.throwsAsync(s.careCircle.removeSandboxWorkspaces({ workspaceIds: ['ws_x'] }), refused)
  await t.throwsAsync(s.inbox.removeSandboxInboxes({ workspaceIds: ['ws_x'] }), refused)
})

test('mail waits within a small quota: twenty distinct messages, then 452', async (t) => {
  const { workspaceId, inboxAddress } = await open()
  const first = plainMail('Number 0')
  t.regex(await deliver(s.stack.smtpPort, inboxAddress, first), /^250/)
  t.regex(await deliver(s.stack.smtpPort, inboxAddress, first), /^250/)
  for (let number = 1; number < 20; number += 1)
    t.regex(await deliver(s.stack.smtpPort, inboxAddress, plainMail(`Number ${number}`)), /^250/)
  using client = await connectSmtp(s.stack.smtpPort)
  await client.say('EHLO clinic.example')
  await client.say('MAIL FROM:<desk@clinic.example>')
  t.regex(await client.say(`RCPT TO:<${inboxAddress}>`), /^452 4\.2\.2/)
  t.is(await s.rows('inbox', 'messages').countDocuments({ workspaceId }), 20)
})

test('of twenty-five simultaneous messages at most twenty are kept', async (t) => {
  const { workspaceId, inboxAddress } = await open()
  const answers = await Promise.all(
    Array.from({ length: 25 }, (_, number) => deliver(s.stack.smtpPort, inboxAddress, plainMail(`Number ${number}`))),
  )
  t.is(answers.filter((answer) => answer.startsWith('250')).length, 20)
  t.is(await s.rows('inbox', 'messages').countDocuments({ workspaceId }), 20)
})

test('a message larger than the quota is deferred, and a smaller one is not', async (t) => {
  const { inboxAddress } = await open()
  const large = plainMail('Large', `${'x'.repeat(76)}\r\n`.repeat(140_000))
  t.regex(await deliver(s.stack.smtpPort, inboxAddress, large), /^452/)
  t.regex(await deliver(s.stack.smtpPort, inboxAddress, plainMail('Small')), /^250/)
})

test('an unclaimed sandbox is deleted when it expires, and its address is never reused', async (t) => {
  const other = await open()
  const { workspaceId, inboxAddress } = await open({
    primaryCaregiverEmail: 'ana@silva.example',
    familyMemberEmails: ['rui@silva.example'],
  })
  // The next test's large mails may use up the space for a moment.
  for (const mail of [plainMail('A small one'), plainMail('A large one', 'many words '.repeat(10_000))])
    t.true(await becomesTrue(async () => (await deliver(s.stack.smtpPort, inboxAddress, mail)).startsWith('250')))
  const before = await recordsOf(s, workspaceId)
  t.is(before.messages, 2)
  t.is(before.originals, 1)

  await expire(workspaceId)
  t.true(await becomesTrue(async () => (await recordsOf(s, workspaceId)).sandboxes === 0))
  t.deepEqual(await recordsOf(s, workspaceId), NOTHING)
  using client = await connectSmtp(s.stack.smtpPort)
  await client.say('EHLO clinic.example')
  await client.say('MAIL FROM:<desk@clinic.example>')
  t.regex(await client.say(`RCPT TO:<${inboxAddress}>`), /^550/)
  const localPart = inboxAddress.split('@')[0]
  t.is(await s.rows('inbox', 'inbox_addresses').countDocuments({ localPart }), 1)
  t.is((await recordsOf(s, other.workspaceId)).workspaces, 1)
})

test.serial('a hundred simultaneous starts all succeed', async (t) => {
  const outcomes = await Promise.allSettled(Array.from({ length: 100 }, () => open()))
  t.deepEqual(
    outcomes.filter(({ status }) => status === 'rejected'),
    [],
  )
})

test.serial('a start that fails because a service is down leaves nothing behind', async (t) => {
  await s.stack.pause('inbox')
  const refused = t.throwsAsync(s.sandbox.startWorkspace(request()), { instanceOf: StatusError })
  const rows = s.rows('sandbox', 'sandboxes')
  const { _id } = await readUntil(
    () => rows.findOne({ state: 'creating' }),
    (row) => row !== null,
  )
  await refused
  s.stack.resume('inbox')
  t.true(await becomesTrue(async () => (await rows.findOne({ _id }))?.state === 'removing'))
  await rows.updateOne({ _id }, { $set: { dueAt: new Date(0) } })
  t.true(await becomesTrue(async () => (await recordsOf(s, _id)).sandboxes === 0))
  t.deepEqual(await recordsOf(s, _id), NOTHING)
})

test.serial('the operator is notified of a start, without names', async (t) => {
  const nats = await connect({ servers: s.stack.natsUrl, ...natsLogin(s.stack.opsKey) })
  const heard = nats.subscribe('ops.sandbox.started', { max: 1 })
  await nats.flush()
  const { workspaceId } = await open({ primaryCaregiverEmail: 'ana@silva.example', careContext: 'Lives alone' })
  for await (const notice of heard) {
    const text = notice.string()
    t.is(JSON.parse(text).workspaceId, workspaceId)
    t.notRegex(text, /Rosa|Silva|ana@|alone/)
  }
  await nats.close()
})
