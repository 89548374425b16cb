import { identityKeys } from '@family-inbox/local-stack/secrets'
import type { OtherMember } from '@family-inbox/ops/demo-seed'
import { Access, AuthServiceService } from '@family-inbox/proto/auth/v1/auth'
import { CareCircleServiceService } from '@family-inbox/proto/carecircle/v1/care_circle'
import { createIdentity } from '@family-inbox/service-kit/rpc/identity'
import type { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import anyTest, { type TestFn } from 'ava'
import { openDatabase } from '../_database.ts'
import { dialPatiently } from '../_dial-patiently.ts'
import { type Guest, joinFamily, send } from '../_family.ts'
import type { Sink } from '../_mail-sink.ts'
import { connectApplication, signIn } from '../_visitor.ts'
import { callTool, mintKey, newestId, receive } from './_approval.ts'

type World = { f: Guest; sink: Sink }

const test = (anyTest as TestFn<World>).serial
const ALL = ['profile:read', 'care_circle:read', 'care_circle:write']

test.before(async (t) => {
  const f = await joinFamily('standard', { withMail: true })
  t.context = { f, sink: f.sink }
})
test.after.always((t) => t.context.f?.[Symbol.asyncDispose]())

/** A new family, and how its assistants reply. */
async function newFamily<Other extends OtherMember = never>({ f, sink }: World, ...others: Other[]) {
  const guest = { ...f, family: await f.another({ others }) }
  const { messageId } = await receive(guest, 'desk@clinic.example')
  const reply = (key: string, body = `Reply ${Math.random()}`) =>
    callTool(guest, key, 'reply_to_inbox_message', { messageId, body })
  const statusOf = async (key: string) => (await reply(key)).data.status
  const { people, keys } = guest.family
  const owner = await signIn(f, sink, people.owner)
  return { guest, messageId, reply, statusOf, owner, keys, enter: (other: Other) => signIn(f, sink, people[other]) }
}

test('an app writes with approval if the person chose that; its page changes it from the next call on', async (t) => {
  const { guest, owner, reply, statusOf } = await newFamily(t.context)
  const { access_token: token } = await connectApplication(guest, owner, ALL, { access: 'approval' })
  t.is(await statusOf(token), 'waiting_for_approval')
  const page = `/settings/connected-apps/${await newestId(owner, 'connected-apps')}`
  t.regex((await owner.get(page)).text, /value="approval" checked/)
  await owner.submit(page, { access: 'write' })
  t.is(await statusOf(token), 'queued')
  await owner.submit(page, { access: 'read' })
  const refused = await reply(token)
  t.true(refused.isError)
  t.regex(refused.text, /You may only read/)
  await owner.submit(page, { access: 'approval' })
  t.is(await statusOf(token), 'waiting_for_approval')
})

test('an app that was allowed only to read has no scope to write, as before', async (t) => {
  const { guest, owner, messageId } = await newFamily(t.context)
  const { access_token: token } = await connectApplication(guest, owner, ALL, { access: 'read' })
  const { status, headers } = await guest.call(token, 'reply_to_inbox_message', { messageId, body: 'No' })
  t.is(status, 403)
  t.regex(String(headers['www-authenticate']), /insufficient_scope/)
  const page = `/settings/connected-apps/${await newestId(owner, 'connected-apps')}`
  t.notRegex((await owner.get(page)).text, /value="write"/)
  const { access_token: writes } = await connectApplication(guest, owner, ALL)
  t.is((await guest.call(writes, 'ping')).status, 200)
})

test('a key is changed on its page, from the next call on', async (t) => {
  const { owner, statusOf } = await newFamily(t.context)
  const key = await mintKey(owner, 'write')
  const page = `/settings/tool-keys/${await newestId(owner, 'tool-keys')}`
  t.is(await statusOf(key), 'queued')
  await owner.submit(page, { access: 'approval' })
  t.is(await statusOf(key), 'waiting_for_approval')
  await owner.submit(page, { access: 'write' })
  t.is(await statusOf(key), 'queued')
})

test('more access than before needs a fresh sign-in, and less does not', async (t) => {
  const { f } = t.context
  const { owner } = await newFamily(t.context)
  await mintKey(owner, 'approval')
  const keyId = await newestId(owner, 'tool-keys')
  const keys = await identityKeys(f.stack.dataDir)
  const mongo = await openDatabase(f.stack, 'auth')
  const row = await mongo.db().collection<{ _id: string }>('tool_keys').findOne({ _id: keyId })
  const { personId, workspaceId } = row as unknown as { personId: string; workspaceId: string }
  const auth = await createIdentity(keys.privateKeys.auth, keys.publicKeys)
  const site = await createIdentity(keys.privateKeys.site, keys.publicKeys)
  const verifiedAt = Math.floor(Date.now() / 1000) - 11 * 60
  const token = await auth.principalToken({ personId, workspaceId, credentialId: 'ses_1', verifiedAt }, 'site')
  const client = dialPatiently(AuthServiceService, f.stack.addresses.auth ?? '', site)
  for (const change of [{ access: Access.WRITE }, { paused: false }]) {
    const refused = await t.throwsAsync<StatusError>(client.changeToolKey({ keyId, ...change }, { token }))
    t.is(refused?.detail.field, 'verifiedAt')
  }
  for (const change of [{ access: Access.READ }, { paused: true }])
    await t.notThrowsAsync(client.changeToolKey({ keyId, ...change }, { token }))
  const careCircle = dialPatiently(CareCircleServiceService, f.stack.addresses['care-circle'] ?? '', site)
  for (const change of [{ approvalRequired: false }, { guarded: false }]) {
    const refused = await t.throwsAsync<StatusError>(careCircle.setAssistantSettings(change, { token }))
    t.is(refused?.detail.field, 'verifiedAt')
  }
  await t.notThrowsAsync(careCircle.setAssistantSettings({ guarded: true }, { token }))
  careCircle.close()
  client.close()
  await mongo.close()
})

test('the owner requires approval for everybody’s assistants, and it holds for all at the next call', async (t) => {
  const { owner, statusOf, keys, enter } = await newFamily(t.context, 'coordinator')
  const coordinator = await enter('coordinator')
  const set = (visitor: typeof owner, value: 'on' | 'off') =>
    visitor.submit('/settings/assistants', { setting: 'approvalRequired', value })
  const all = async () => [await statusOf(keys.owner), await statusOf(keys.coordinator)]
  t.deepEqual(await all(), ['queued', 'queued'])
  t.is((await set(coordinator, 'on')).status, 403)
  t.deepEqual(await all(), ['queued', 'queued'])
  t.is((await set(owner, 'on')).status, 303)
  t.deepEqual(await all(), ['waiting_for_approval', 'waiting_for_approval'])
  t.regex((await coordinator.get('/settings/assistants')).text, /What any assistant writes waits for approval/)
  await set(owner, 'off')
  t.deepEqual(await all(), ['queued', 'queued'])
})

test('what waited is not sent by the same call after the assistant may write', async (t) => {
  const { guest, owner, messageId, keys } = await newFamily(t.context)
  const set = (value: string) => owner.submit('/settings/assistants', { setting: 'approvalRequired', value })
  const args = { messageId, body: 'Once', idempotencyKey: 'switched' }
  const reply = async () => (await callTool(guest, keys.owner, 'reply_to_inbox_message', args)).data.status
  await set('on')
  t.is(await reply(), 'waiting_for_approval')
  await set('off')
  t.is(await reply(), 'waiting_for_approval')
  const sent = { ...args, body: 'Another', idempotencyKey: 'before' }
  t.is((await callTool(guest, keys.owner, 'reply_to_inbox_message', sent)).data.status, 'queued')
  await set('on')
  t.is((await callTool(guest, keys.owner, 'reply_to_inbox_message', sent)).data.status, 'queued')
})

test('a paused assistant gets a tool error that names who can resume it, not a 401', async (t) => {
  const { guest, owner, statusOf, keys, enter } = await newFamily(t.context, 'coordinator', 'viewer')
  const coordinator = await enter('coordinator')
  const key = await mintKey(owner, 'write')
  const page = `/settings/tool-keys/${await newestId(owner, 'tool-keys')}`
  const refusal = async (one: string) => {
    const { isError, text } = await callTool(guest, one, 'ping', {})
    return isError ? text : undefined
  }
  await owner.submit(page, { pause: 'on' })
  t.regex((await refusal(key)) ?? '', /You are paused.*Only the person you act for can resume you/)
  t.is(await refusal(keys.owner), undefined, 'only this one')
  const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' }
  t.is((await guest.post(key, list)).status, 200)
  await owner.submit(page, { pause: 'off' })
  t.is(await statusOf(key), 'queued')

  const set = (visitor: typeof owner, setting: string, value: string) =>
    visitor.submit('/settings/assistants', { setting, value })
  await set(coordinator, 'ownPaused', 'on')
  t.regex((await refusal(keys.coordinator)) ?? '', /Assistants of the person you act for are paused/)
  t.is(await refusal(keys.owner), undefined)
  t.is((await set(coordinator, 'paused', 'on')).status, 403)
  await set(coordinator, 'ownPaused', 'off')
  await set(owner, 'paused', 'on')
  for (const one of [key, keys.owner, keys.coordinator, keys.viewer])
    t.regex((await refusal(one)) ?? '', /All assistants of this family are paused.*Only the owner/)
  t.is((await owner.get('/')).status, 200, 'people are not paused')
  await set(owner, 'paused', 'off')
  t.is(await statusOf(key), 'queued')
})

test('a person who joins while all assistants are paused has theirs paused, too', async (t) => {
  const { guest, owner } = await newFamily(t.context)
  const { f, sink } = t.context
  await owner.submit('/settings/assistants', { setting: 'paused', value: 'on' })
  const email = `joins-${Math.random()}@example.org`
  const ask = { email, role: 'coordinator', relationship: '', message: '', request: 'r1' }
  await owner.submit('/care-circle/invite', ask)
  const [mail] = await sink.waitFor(email)
  const link = /\/invitation\/[\w-]+/.exec((mail?.raw ?? '').replaceAll('=\r\n', ''))?.[0] ?? ''
  const joiner = await signIn(f, sink, email)
  await joiner.submit(link, { name: 'Joana' })
  const key = await mintKey(joiner, 'write')
  t.regex((await callTool(guest, key, 'ping', {})).text, /All assistants of this family are paused/)
})

test('the recipient learns that an assistant helped, if the owner wants that', async (t) => {
  const { guest, owner, keys } = await newFamily(t.context)
  const { sink } = t.context
  const to = `disclosed-${Math.random()}@clinic.example`
  await owner.submit('/settings/assistants', { setting: 'disclosed', value: 'on' })
  const { messageId, lovedOneId } = await receive(guest, to)
  await callTool(guest, keys.owner, 'reply_to_inbox_message', { messageId, body: 'By an assistant' })
  const [mail] = await sink.waitFor(to)
  t.regex(mail?.raw ?? '', /Written with an assistant/)
  const form = { body: 'By hand', key: `${Math.random()}`, writer: '' }
  await owner.submit(`/inbox/${lovedOneId}/${messageId}/reply`, form)
  const second = (await sink.waitFor(to, 2)).find(({ raw }) => raw.includes('By hand'))
  t.notRegex(second?.raw ?? '', /Written with an assistant/)
})

test('a key from before there was a choice writes as it did', async (t) => {
  const { keys, statusOf } = await newFamily(t.context)
  t.is(await statusOf(keys.owner), 'queued')
  t.is((await send(`${t.context.f.stack.apiUrl}/mcp/v1`)).status, 200)
})
