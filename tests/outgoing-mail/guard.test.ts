import { identityKeys } from '@family-inbox/local-stack/secrets'
import { waitFor } from '@family-inbox/local-stack/wait-for'
import type { OtherMember } from '@family-inbox/ops/demo-seed'
import { CareCircleServiceService, GuardChange } from '@family-inbox/proto/carecircle/v1/care_circle'
import { createIdentity } from '@family-inbox/service-kit/rpc/identity'
import anyTest, { type ExecutionContext, type TestFn } from 'ava'
import type { MongoClient } from 'mongodb'
import { openDatabase } from '../_database.ts'
import { dialPatiently } from '../_dial-patiently.ts'
import { untilNoMailIsDue } from '../_due-mail.ts'
import { type Guest, joinFamily, send } from '../_family.ts'
import type { Sink } from '../_mail-sink.ts'
import type { FamilyOptions } from '../_shared-stack.ts'
import { connectApplication, signIn, type Tokens, type Visitor } from '../_visitor.ts'
import { type Answered, callTool, mintKey, newestId, receive } from './_approval.ts'

type World = { f: Guest; sink: Sink; mongo: MongoClient; careCircle: MongoClient }

const test = (anyTest as TestFn<World>).serial
/** A mark ends this long after a member's decision. */
const ENDS_AFTER_MS = 5000
const ALL = ['profile:read', 'care_circle:read', 'care_circle:write']

test.before(async (t) => {
  const f = await joinFamily('standard', { withMail: true })
  const [mongo, careCircle] = [await openDatabase(f.stack, 'inbox'), await openDatabase(f.stack, 'care-circle')]
  t.context = { f, sink: f.sink, mongo, careCircle }
})
test.after.always(async (t) => {
  await t.context.mongo?.close()
  await t.context.careCircle?.close()
  await t.context.f?.[Symbol.asyncDispose]()
})

const guard = (visitor: Visitor, value: 'on' | 'off') =>
  visitor.submit('/settings/assistants', { setting: 'guarded', value })

/** A new family with a letter of an unverified sender, and what its assistants do. */
async function newFamily<Other extends OtherMember = never>(
  t: ExecutionContext<World>,
  { guarded = true, ...options }: FamilyOptions<Other> & { guarded?: boolean } = {},
) {
  const { f, sink, mongo, careCircle } = t.context
  const guest = { ...f, family: await f.another(options) }
  const { messageId, lovedOneId } = await receive(guest, 'desk@clinic.example')
  const owner = await signIn(f, sink, guest.family.people.owner)
  if (guarded) await guard(owner, 'on')
  const call = (key: string, tool: string, args: object) => callTool(guest, key, tool, args)
  return {
    owner,
    enter: (other: Other) => signIn(f, sink, guest.family.people[other]),
    messageId,
    lovedOneId,
    keys: guest.family.keys,
    guest,
    list: (key: string) => call(key, 'list_inbox_messages', { lovedOneId }),
    read: (key: string) => call(key, 'get_inbox_message', { lovedOneId, messageId }),
    reply: (key: string, body = `Reply ${Math.random()}`) =>
      call(key, 'reply_to_inbox_message', { messageId, body, idempotencyKey: body }),
    invite: (key: string, email: string) =>
      call(key, 'invite_family_member', { email, role: 'viewer', idempotencyKey: email }),
    createCode: (key: string) => call(key, 'create_provider_code', { lovedOneId }),
    /** Lets the time pass in which each mark that a decision ended still applies. */
    async passTheEnd() {
      const members = careCircle.db().collection('members')
      const { workspaceId } = guest.family
      const soon = new Date(Date.now() + ENDS_AFTER_MS)
      t.is(await members.countDocuments({ workspaceId, 'guardMarks.endsAt': { $gt: soon } }), 0)
      const $set = { 'guardMarks.$[ended].endsAt': new Date(Date.now() - 1) }
      const arrayFilters = [{ 'ended.endsAt': { $exists: true } }]
      await members.updateMany({ workspaceId, 'guardMarks.endsAt': { $exists: true } }, { $set }, { arrayFilters })
    },
    /** As a passing DMARC check would leave it, since tests run without DNS. The real check must have ended. */
    async verify() {
      const authenticity = { spf: 'pass', dkim: 'pass', dmarc: 'pass', arc: 'none' }
      const messages = mongo.db().collection('messages')
      const { workspaceId } = guest.family
      const pending = { workspaceId, authenticityPending: true }
      await waitFor(async () => (await messages.countDocuments(pending)) === 0 || undefined, {
        timeoutMs: 60_000,
        timeout: () => new Error('a sender is still being checked'),
      })
      await messages.updateMany({ workspaceId }, { $set: { authenticity }, $unset: { originalSender: 1 } })
    },
  }
}

const decideReply = (visitor: Visitor, { data }: Answered, decision: 'send' | 'decline') =>
  visitor.submit(`/approvals/replies/${data.proposalId}`, { decision, body: 'We come at ten.' })

test('after mail of an unverified sender the next writes wait, and a member’s decision ends that', async (t) => {
  const { owner, enter, keys, list, reply, invite, createCode, passTheEnd } = await newFamily(t, {
    others: ['coordinator'],
  })
  const coordinator = await enter('coordinator')
  const key = await mintKey(owner, 'write')
  t.is((await reply(key)).data.status, 'queued', 'it has read nothing')
  t.false((await createCode(key)).isError)
  await list(key)
  const waiting = await reply(key)
  t.is(waiting.data.status, 'waiting_for_approval')
  t.regex(waiting.data.reason ?? '', /unverified sender.*a family member sends or declines this first/)
  t.is((await invite(key, 'guarded@example.org')).data.status, 'waiting_for_approval')
  const refused = await createCode(key)
  t.true(refused.isError)
  t.regex(refused.text, /unverified sender.*cannot wait for approval/)
  await decideReply(coordinator, waiting, 'send')
  await passTheEnd()
  t.is((await reply(key)).data.status, 'queued')
  t.false((await createCode(key)).isError)
  await list(key)
  const declined = await reply(key)
  t.is(declined.data.status, 'waiting_for_approval', 'it read again')
  await decideReply(owner, declined, 'decline')
  await passTheEnd()
  t.is((await reply(key)).data.status, 'queued')
  t.is((await reply(keys.owner)).data.status, 'queued', 'it read before the owner turned this on')
})

test('to say whom a reply would go to, before a person confirms it, reads nothing to the assistant', async (t) => {
  const { owner, enter, keys, messageId, reply } = await newFamily(t, { others: ['coordinator', 'viewer'] })
  const { stack } = t.context.f
  const key = await mintKey(owner, 'write')
  const meta = 'io.modelcontextprotocol/'
  const ask = (credential: string, id = messageId) =>
    send(`${stack.apiUrl}/mcp/v1`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        authorization: `Bearer ${credential}`,
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': 'tools/call',
        'mcp-name': 'reply_to_inbox_message',
      },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: {
          name: 'reply_to_inbox_message',
          arguments: { messageId: id, body: 'We come at ten.' },
          _meta: {
            [`${meta}protocolVersion`]: '2026-07-28',
            [`${meta}clientCapabilities`]: { elicitation: { form: {} } },
          },
        },
      }),
    })
  const { json } = await ask(key)
  t.is(json.result.inputRequests.confirm.params.message, 'Send this reply to desk@clinic.example?\n\nWe come at ten.')
  t.is((await reply(key)).data.status, 'queued', 'it is not marked')
  t.true((await ask(keys.viewer)).json.result.isError, 'who cannot reply is not asked')
  t.true((await ask(key, 'msg_unknown')).json.result.isError)
  t.notRegex((await (await enter('coordinator')).get('/')).text, /waiting for approval/i)
})

test('the owner of a family that connects its first assistant is offered the guard, in one sentence', async (t) => {
  const { owner, enter } = await newFamily(t, { guarded: false, others: ['coordinator'] })
  const coordinator = await enter('coordinator')
  const OFFER = 'Turn on this guard'
  t.true((await owner.get('/connect')).text.includes(OFFER))
  t.false((await coordinator.get('/connect')).text.includes(OFFER))
  t.regex((await owner.get('/settings/assistants')).text, /Guard against unverified senders <span class="tag off">Off/)
  await guard(owner, 'on')
  t.false((await owner.get('/connect')).text.includes(OFFER))
  await guard(owner, 'off')
  await mintKey(owner, 'read')
  t.false((await owner.get('/connect')).text.includes(OFFER), 'not the first one')
})

test('the family sees why it waits, and markup in an assistant’s name stays text', async (t) => {
  const { owner, read, reply, invite } = await newFamily(t)
  const key = await mintKey(owner, 'write', '<b>Claude</b> Code')
  await read(key)
  const { data } = await reply(key)
  const why = '<bdi>&#60;b&#62;Claude&#60;/b&#62; Code</bdi> had read mail from an unverified sender'
  t.true((await owner.get(`/approvals/replies/${data.proposalId}`)).text.includes(why))
  const invited = await invite(key, 'why@example.org')
  t.true((await owner.get(`/approvals/invitations/${invited.data.proposalId}`)).text.includes(why))
})

test('no other read, no repeated call and no write that nobody decided ends it', async (t) => {
  const { owner, list, read, reply, createCode, verify, messageId } = await newFamily(t)
  const key = await mintKey(owner, 'write')
  await read(key)
  await verify()
  for (let turn = 0; turn < 3; turn += 1) {
    await read(key)
    await list(key)
    t.is((await reply(key, `Harmless ${messageId}`)).data.status, 'waiting_for_approval')
    t.is((await reply(key)).data.status, 'waiting_for_approval')
    t.true((await createCode(key)).isError)
  }
})

test('a decision about what was proposed before the last reading does not end it', async (t) => {
  const { owner, read, reply, passTheEnd } = await newFamily(t)
  const key = await mintKey(owner, 'write')
  await read(key)
  const before = await reply(key)
  await read(key)
  await decideReply(owner, before, 'send')
  await passTheEnd()
  const after = await reply(key)
  t.is(after.data.status, 'waiting_for_approval')
  await decideReply(owner, before, 'send')
  await decideReply(owner, after, 'send')
  await passTheEnd()
  t.is((await reply(key)).data.status, 'queued')
})

test('a declined invitation is not sent by repeating the call', async (t) => {
  const { owner, guest, read, reply, invite, passTheEnd } = await newFamily(t)
  const key = await mintKey(owner, 'write')
  await read(key)
  const { data } = await invite(key, 'declined@evil.example')
  await owner.submit(`/approvals/invitations/${data.proposalId}`, { decision: 'decline' })
  await passTheEnd()
  t.is((await invite(key, 'declined@evil.example')).data.status, 'declined')
  t.is((await reply(key)).data.status, 'queued', 'declining an invitation ended it')
  await untilNoMailIsDue(guest.stack, guest.family.workspaceId)
  t.deepEqual(
    t.context.sink.mails.filter(({ to }) => to.includes('declined@evil.example')),
    [],
  )
})

test('mail of a verified sender changes nothing, unless it quotes somebody else', async (t) => {
  const { owner, guest, list, read, reply, verify } = await newFamily(t)
  await verify()
  const key = await mintKey(owner, 'write')
  await list(key)
  await read(key)
  t.is((await reply(key)).data.status, 'queued')
  const messages = t.context.mongo.db().collection('messages')
  const originalSender = { name: 'Boss', address: 'boss@evil.example' }
  await messages.updateMany({ workspaceId: guest.family.workspaceId }, { $set: { originalSender } })
  await read(key)
  t.is((await reply(key)).data.status, 'waiting_for_approval')
})

test('an app is guarded for what it read, with a new token, too, and other keys of the same person are not', async (t) => {
  const { owner, guest, list, reply } = await newFamily(t)
  const tokens = await connectApplication(guest, owner, ALL)
  const token = tokens.access_token
  const [first, second] = [await mintKey(owner, 'write', 'One'), await mintKey(owner, 'write', 'Two')]
  await list(token)
  await list(first)
  t.is((await reply(token)).data.status, 'waiting_for_approval')
  t.is((await reply(await refresh(guest, tokens))).data.status, 'waiting_for_approval')
  t.is((await reply(first)).data.status, 'waiting_for_approval')
  t.is((await reply(second)).data.status, 'queued')
})

async function refresh(guest: Pick<Guest, 'stack'>, { refresh_token, clientId }: Tokens): Promise<string> {
  const fields = { grant_type: 'refresh_token', client_id: clientId, refresh_token }
  const { json } = await send(`${guest.stack.inboxUrl}/oauth/token`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams(fields).toString(),
  })
  return json.access_token
}

test('it is off until the owner turns it on, which holds at the next call; another family notices nothing', async (t) => {
  const { owner, enter, list, reply } = await newFamily(t, { guarded: false, others: ['coordinator'] })
  const others = await newFamily(t, { guarded: false, others: ['viewer'] })
  const key = await mintKey(owner, 'write')
  const theirs = await mintKey(others.owner, 'write')
  await list(key)
  t.is((await reply(key)).data.status, 'queued')
  const coordinator = await enter('coordinator')
  for (const visitor of [coordinator, await others.enter('viewer')]) t.is((await guard(visitor, 'on')).status, 403)
  await list(key)
  t.is((await reply(key)).data.status, 'queued')
  t.is((await guard(owner, 'on')).status, 303)
  await list(key)
  t.is((await reply(key)).data.status, 'waiting_for_approval')
  t.regex((await coordinator.get('/settings/assistants')).text, /after mail from an unverified sender waits/)
  await others.list(theirs)
  t.is((await others.reply(theirs)).data.status, 'queued')
  await guard(owner, 'off')
  t.is((await reply(key)).data.status, 'queued')
  await guard(owner, 'on')
  t.is((await reply(key)).data.status, 'waiting_for_approval', 'what it read is not forgotten')
})

test('no service but inbox can mark an assistant, or end its mark', async (t) => {
  const { dataDir, addresses } = t.context.f.stack
  const { privateKeys, publicKeys } = await identityKeys(dataDir)
  const mark = { workspaceId: 'ws_1', personId: 'per_1', guardMark: 'gm_1', change: GuardChange.DECIDED }
  for (const name of ['gateway', 'site'] as const) {
    const identity = await createIdentity(privateKeys[name], publicKeys)
    const careCircle = dialPatiently(CareCircleServiceService, addresses['care-circle'] ?? '', identity)
    const denied = { message: 'Only certain services may make this call.' }
    await t.throwsAsync(careCircle.updateGuard(mark), denied)
    await t.throwsAsync(careCircle.guardAssistant({ principal: '' }), denied)
    careCircle.close()
  }
})

test('a pause, read only and required approval come first', async (t) => {
  const { owner, list, reply, createCode } = await newFamily(t)
  const set = (setting: string, value: string) => owner.submit('/settings/assistants', { setting, value })
  const key = await mintKey(owner, 'write')
  const page = `/settings/tool-keys/${await newestId(owner, 'tool-keys')}`
  await list(key)
  await set('approvalRequired', 'on')
  t.regex((await createCode(key)).text, /^What you write has to be approved/)
  await set('paused', 'on')
  t.regex((await reply(key)).text, /All assistants of this family are paused/)
  await set('paused', 'off')
  await set('approvalRequired', 'off')
  await owner.submit(page, { access: 'read' })
  t.regex((await reply(key)).text, /You may only read/)
  await owner.submit(page, { access: 'write' })
  t.is((await reply(key)).data.status, 'waiting_for_approval')
})
