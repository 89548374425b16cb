import { identityKeys } from '@family-inbox/local-stack/secrets'
import { InboxServiceService } from '@family-inbox/proto/inbox/v1/inbox'
import { createIdentity } from '@family-inbox/service-kit/rpc/identity'
import type { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import anyTest, { type TestFn } from 'ava'
import type { MongoClient } from 'mongodb'
import { openDatabase } from '../_database.ts'
import { dialPatiently } from '../_dial-patiently.ts'
import { type Guest, joinFamily } from '../_family.ts'
import type { Sink } from '../_mail-sink.ts'
import { signIn, type Visitor } from '../_visitor.ts'
import { callTool, mintKey, receive } from './_approval.ts'

type World = { f: Guest; sink: Sink; owner: Visitor; coordinator: Visitor; key: string; mongo: MongoClient }

const test = (anyTest as TestFn<World>).serial
const WEEK_MS = 7 * 24 * 60 * 60 * 1000

test.before(async (t) => {
  const f = await joinFamily('standard', { withMail: true })
  const { sink, family } = f
  const owner = await signIn(f, sink, family.people.owner)
  const coordinator = await signIn(f, sink, family.people.coordinator)
  const mongo = await openDatabase(f.stack, 'inbox')
  t.context = { f, sink, owner, coordinator, mongo, key: await mintKey(owner, 'approval') }
})
test.after.always(async (t) => {
  await t.context.mongo?.close()
  await t.context.f?.[Symbol.asyncDispose]()
})

const sentTo = ({ sink }: World, address: string) => sink.mails.filter(({ to }) => to.includes(address))

async function propose({ f, key }: World, from: string, more: object = {}) {
  const ids = await receive(f, from)
  const args = { messageId: ids.messageId, body: 'We come at ten.', ...more }
  const answered = await callTool(f, key, 'reply_to_inbox_message', args)
  return { ...ids, args, ...answered, path: `/approvals/replies/${answered.data.proposalId}` }
}

const press = (visitor: Visitor, path: string, decision: 'send' | 'decline', body = 'We come at ten.') =>
  visitor.submit(path, { body, decision })

test('a reply that needs approval waits, a member sends it, and the recipient gets it once', async (t) => {
  const { f, sink, coordinator, key } = t.context
  const proposed = await propose(t.context, 'Desk <waits@clinic.example>', { idempotencyKey: 'walk' })
  t.is(proposed.data.status, 'waiting_for_approval')
  t.is(proposed.data.to, 'waits@clinic.example')
  t.is(proposed.data.replyId, undefined)
  t.regex((await coordinator.get('/')).text, /waiting for approval/)
  const ownPage = `/inbox/${proposed.lovedOneId}/${proposed.messageId}`
  t.true((await coordinator.get(ownPage)).text.includes(proposed.path), 'the message leads to it, too')
  t.true((await coordinator.get('/approvals')).text.includes(proposed.path))
  const page = (await coordinator.get(proposed.path)).text
  t.regex(page, /<bdi>Claude Code<\/bdi>, for <bdi>[^<]+<\/bdi>, would like to send this to/)
  t.is(sentTo(t.context, 'waits@clinic.example').length, 0)
  t.is((await press(coordinator, proposed.path, 'send')).status, 303)
  const [mail] = await sink.waitFor('waits@clinic.example')
  t.regex(mail?.raw ?? '', /We come at ten\./)
  t.regex(mail?.headers ?? '', /^From: "?Ana Almeida/m, 'in the name of the person the assistant acts for')
  const message = (await coordinator.get(`/inbox/${proposed.lovedOneId}/${proposed.messageId}`)).text
  t.regex(message, /Ana Almeida<\/bdi>’s assistant \(<bdi>Claude Code<\/bdi>\); approved by <bdi>Luis Almeida<\/bdi>/)
  const again = await callTool(f, key, 'reply_to_inbox_message', proposed.args)
  t.is(again.data.status, 'sent')
  t.regex(again.data.replyId ?? '', /^rep_/)
  await press(coordinator, proposed.path, 'send')
  t.is(sentTo(t.context, 'waits@clinic.example').length, 1)
})

test('an agent learns from the message, too, what became of its reply', async (t) => {
  const { f, coordinator, key } = t.context
  const { messageId, lovedOneId, path, data } = await propose(t.context, 'told@clinic.example')
  const look = async () => (await callTool(f, key, 'get_inbox_message', { messageId, lovedOneId })).data.proposals
  t.like((await look())?.[0], { proposalId: data.proposalId, status: 'waiting_for_approval' } as never)
  await press(coordinator, path, 'decline')
  t.like((await look())?.[0], { proposalId: data.proposalId, status: 'declined' } as never)
})

test('the same reply, with or without a key, is one proposal, also when it is sent twelve times at the same moment', async (t) => {
  const { f, key } = t.context
  for (const more of [{ idempotencyKey: 'twelve' }, {}]) {
    const { messageId } = await receive(f, 'twelve@clinic.example')
    const args = { messageId, body: 'Once', ...more }
    const ask = () => callTool(f, key, 'reply_to_inbox_message', args)
    const answers = await Promise.all(Array.from({ length: 12 }, ask))
    t.is(new Set(answers.map(({ data }) => data.proposalId)).size, 1)
  }
  const { messageId } = await receive(f, 'twelve@clinic.example')
  const other = { messageId, body: 'Another', idempotencyKey: 'twelve' }
  t.regex((await callTool(f, key, 'reply_to_inbox_message', other)).text, /idempotencyKey was used/)
})

test('a read-only key is refused in words, a writing key sends at once, and other keys stay as they were', async (t) => {
  const { f, owner } = t.context
  const readOnly = await mintKey(owner, 'read')
  const { messageId, lovedOneId } = await receive(f, 'modes@clinic.example')
  const reply = (key: string, body: string) => callTool(f, key, 'reply_to_inbox_message', { messageId, body })
  const writes: [string, object][] = [
    ['reply_to_inbox_message', { messageId, body: 'No' }],
    ['invite_family_member', { email: 'nobody@example.org', role: 'viewer' }],
    ['create_provider_code', { lovedOneId }],
  ]
  for (const [tool, args] of writes) {
    const refused = await callTool(f, readOnly, tool, args)
    t.true(refused.isError, tool)
    t.regex(refused.text, /You may only read/, tool)
  }
  t.false((await callTool(f, readOnly, 'get_inbox_message', { messageId, lovedOneId })).isError)
  t.is((await reply(await mintKey(owner, 'write'), 'Yes')).data.status, 'queued')
  t.is((await reply(await mintKey(owner, undefined), 'Yes, too')).data.status, 'queued')
  t.is((await reply(f.family.keys.owner, 'As ever')).data.status, 'queued')
})

test('a code for an agency cannot wait, so an assistant that needs approval has to leave it to the person', async (t) => {
  const { f, key } = t.context
  const refused = await callTool(f, key, 'create_provider_code', { lovedOneId: f.family.lovedOnes[0]?.id })
  t.true(refused.isError)
  t.regex(refused.text, /cannot wait for approval/)
})

test('a declined reply is not sent, not even by a member who presses Send afterwards', async (t) => {
  const { f, owner, coordinator, key } = t.context
  const { path, args } = await propose(t.context, 'declined@clinic.example', { idempotencyKey: 'declined' })
  t.is((await press(coordinator, path, 'decline')).status, 303)
  const late = await press(owner, path, 'send')
  t.is(late.status, 422)
  t.regex(late.text, /Luis Almeida already declined it/)
  t.is((await callTool(f, key, 'reply_to_inbox_message', args)).data.status, 'declined')
  t.is(sentTo(t.context, 'declined@clinic.example').length, 0)
})

test('a member can change what is sent', async (t) => {
  const { sink, coordinator } = t.context
  const { path } = await propose(t.context, 'edited@clinic.example')
  t.is((await press(coordinator, path, 'send', ' ')).status, 422, 'not empty')
  await press(coordinator, path, 'send', 'We come at eleven.')
  const [mail] = await sink.waitFor('edited@clinic.example')
  t.regex(mail?.raw ?? '', /We come at eleven\./)
  t.notRegex(mail?.raw ?? '', /at ten/)
})

test('after seven days it is no longer sent', async (t) => {
  const { f, owner, key, mongo } = t.context
  const { path, args, data } = await propose(t.context, 'late@clinic.example', { idempotencyKey: 'late' })
  const rows = mongo.db().collection<{ _id: string; expiresAt: Date; createdAt: Date }>('reply_proposals')
  const row = await rows.findOne({ _id: data.proposalId ?? '' })
  t.is((row?.expiresAt.getTime() ?? 0) - (row?.createdAt.getTime() ?? 0), WEEK_MS)
  await rows.updateOne({ _id: data.proposalId ?? '' }, { $set: { expiresAt: new Date() } })
  t.is((await callTool(f, key, 'reply_to_inbox_message', args)).data.status, 'expired')
  t.false((await owner.get('/approvals')).text.includes(path))
  for (const decision of ['send', 'decline'] as const) {
    const late = await press(owner, path, decision)
    t.is(late.status, 422)
    t.regex(late.text, /expired after seven days/)
  }
  t.is(sentTo(t.context, 'late@clinic.example').length, 0)
})

test('a viewer sees nothing that waits and can decide nothing', async (t) => {
  const { f, sink } = t.context
  const viewer = await signIn(f, sink, f.family.people.viewer)
  const { path } = await propose(t.context, 'viewer@clinic.example')
  t.notRegex((await viewer.get('/')).text, /waiting for approval/)
  for (const page of ['/approvals', path]) t.is((await viewer.get(page)).status, 403)
  for (const decision of ['send', 'decline'] as const) t.is((await press(viewer, path, decision)).status, 403)
  t.is(sentTo(t.context, 'viewer@clinic.example').length, 0)
})

test('for another family, a reply that waits does not exist', async (t) => {
  const { f, sink } = t.context
  const stranger = await signIn(f, sink, (await f.another()).people.owner)
  const { path } = await propose(t.context, 'isolated@clinic.example')
  const unknown = '/approvals/replies/prop_00000000000000000000000000'
  t.notRegex((await stranger.get('/')).text, /waiting for approval/)
  for (const ask of [
    (at: string) => stranger.get(at),
    (at: string) => press(stranger, at, 'send'),
    (at: string) => press(stranger, at, 'decline'),
  ]) {
    const [theirs, missing] = [await ask(path), await ask(unknown)]
    t.is(theirs.status, 404)
    t.is(theirs.text.replaceAll(path, ''), missing.text.replaceAll(unknown, ''))
  }
  t.is(sentTo(t.context, 'isolated@clinic.example').length, 0)
})

test('no assistant can approve, or write a note of the family, whatever else it may write', async (t) => {
  const { f, mongo } = t.context
  const { data } = await propose(t.context, 'own@clinic.example')
  const { privateKeys, publicKeys } = await identityKeys(f.stack.dataDir)
  const auth = await createIdentity(privateKeys.auth, publicKeys)
  const gateway = await createIdentity(privateKeys.gateway, publicKeys)
  const row = await mongo
    .db()
    .collection<{ _id: string }>('reply_proposals')
    .findOne({ _id: data.proposalId ?? '' })
  const { personId, workspaceId, lovedOneId } = row as unknown as Record<
    'personId' | 'workspaceId' | 'lovedOneId',
    string
  >
  const token = await auth.principalToken({ personId, workspaceId, credentialId: 'key_1' }, 'gateway')
  const inbox = dialPatiently(InboxServiceService, f.stack.addresses.inbox ?? '', gateway)
  const proposalId = data.proposalId ?? ''
  for (const decide of [inbox.approveReplyProposal, inbox.declineReplyProposal]) {
    const refused = await t.throwsAsync<StatusError>(decide({ proposalId }, { token }) as Promise<unknown>)
    t.is(refused?.status, 'PERMISSION_DENIED')
  }
  const note = { lovedOneId, messageId: 'msg_any', text: 'Paid.', namedPersonIds: [], idempotencyKey: '' }
  const refused = await t.throwsAsync<StatusError>(inbox.addNote(note, { token }))
  t.is(refused?.status, 'PERMISSION_DENIED')
  inbox.close()
})

test('what assistants write is text on every page', async (t) => {
  const { f, owner, coordinator } = t.context
  const evil = `"><img src=x onerror=alert(1)></textarea><script>alert(1)</script>`
  const key = await mintKey(owner, 'approval', evil)
  const { messageId } = await receive(f, 'evil@clinic.example')
  const { data } = await callTool(f, key, 'reply_to_inbox_message', { messageId, body: evil })
  for (const page of [
    '/approvals',
    `/approvals/replies/${data.proposalId}`,
    '/settings/tool-keys',
    '/settings/assistants',
  ]) {
    const visitor = page.startsWith('/settings') ? owner : coordinator
    t.notRegex((await visitor.get(page)).text, /<img src=x|<\/textarea><script>/, page)
  }
})

test('days later, everything is checked again: the recipient, and whether the person is still in the family', async (t) => {
  const { f, sink, owner, mongo } = t.context
  const { path, data } = await propose(t.context, 'moved@clinic.example')
  const row = await mongo
    .db()
    .collection<{ _id: string; messageRowId: string }>('reply_proposals')
    .findOne({ _id: data.proposalId ?? '' })
  const messages = mongo.db().collection<{ _id: string }>('messages')
  await messages.updateOne(
    { _id: row?.messageRowId ?? '' },
    { $set: { from: { name: '', address: 'new@clinic.example' } } },
  )
  const moved = await press(owner, path, 'send')
  t.is(moved.status, 422)
  t.regex(moved.text, /would now go to new@clinic\.example/)
  const ours = f.family.lovedOnes[1]?.inboxAddress ?? ''
  await messages.updateOne({ _id: row?.messageRowId ?? '' }, { $set: { from: { name: '', address: ours } } })
  const looped = await press(owner, path, 'send')
  t.is(looped.status, 422)
  t.regex(looped.text, /only address is one of this service’s own/)

  const other = { ...f, family: await f.another({ others: ['coordinator'] }) }
  const [boss, helper] = await Promise.all(
    (['owner', 'coordinator'] as const).map((role) => signIn(f, sink, other.family.people[role])),
  )
  const key = await mintKey(helper as Visitor, 'approval')
  const { messageId } = await receive(other, 'left@clinic.example')
  const proposed = await callTool(other, key, 'reply_to_inbox_message', { messageId, body: 'Hello' })
  const people = (await (boss as Visitor).get('/care-circle')).text
  const id = [...people.matchAll(/\/care-circle\/people\/([\w-]+)/g)].map(([, one]) => one)[1]
  t.is((await (boss as Visitor).submit(`/care-circle/people/${id}/remove`, {})).status, 303)
  const left = await press(boss as Visitor, `/approvals/replies/${proposed.data.proposalId}`, 'send', 'Hello')
  t.is(left.status, 422)
  t.regex(left.text, /can no longer write for your family/)
  t.is(sentTo(t.context, 'left@clinic.example').length + sentTo(t.context, 'new@clinic.example').length, 0)
})

test('an invitation that needs approval waits, too, and is mailed once', async (t) => {
  const { f, sink, owner, coordinator, key } = t.context
  const email = `aunt-${Math.random()}@example.org`
  const args = { email, role: 'viewer', message: 'Come & see <b>us</b>', idempotencyKey: `aunt ${email}` }
  const proposed = await callTool(f, key, 'invite_family_member', args)
  t.is(proposed.data.status, 'waiting_for_approval')
  const path = `/approvals/invitations/${proposed.data.proposalId}`
  t.true((await coordinator.get('/approvals')).text.includes(path))
  t.regex((await coordinator.get('/care-circle')).text, /invitation from an assistant is waiting for approval/)
  t.notRegex((await coordinator.get(path)).text, /<b>us/)
  t.is(sentTo(t.context, email).length, 0)
  const press = (visitor: Visitor) => visitor.submit(path, { message: 'Come and see us', decision: 'send' })
  await Promise.all([press(owner), press(coordinator)])
  const [mail] = await sink.waitFor(email)
  t.regex(mail?.raw ?? '', /Come and see us/)
  t.regex(mail?.headers ?? '', /^Subject: Ana Almeida invites you/m)
  t.is((await callTool(f, key, 'invite_family_member', args)).data.status, 'sent')
  t.is(sentTo(t.context, email).length, 1)
  const declined = { email: `uncle-${Math.random()}@example.org`, role: 'viewer' }
  const { data } = await callTool(f, key, 'invite_family_member', declined)
  t.is((await coordinator.submit(`/approvals/invitations/${data.proposalId}`, { decision: 'decline' })).status, 303)
  t.is((await callTool(f, key, 'invite_family_member', declined)).data.status, 'declined')
  t.is(sentTo(t.context, declined.email).length, 0)
})
