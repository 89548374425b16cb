import { Role } from '@family-inbox/proto/carecircle/v1/care_circle'
import type { ClaimSandboxRequest } from '@family-inbox/proto/sandbox/v1/sandbox'
import { randomText } from '@family-inbox/service-kit/ids/ids'
import type { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { ErrorCode, McpError } from '@modelcontextprotocol/sdk/types.js'
import anyTest from 'ava'
import type { Sink } from '../_mail-sink.ts'
import { untilAnswered } from '../_outcome.ts'
import type { SharedStack } from '../_shared-stack.ts'
import { becomesTrue, readUntil } from '../_wait.ts'
import { deliver, plainMail } from '../inbox/_smtp-client.ts'
import { joinSandboxes, ROSA, request, type Sandboxes } from './_sandbox.ts'

const test = anyTest.serial

let s: Sandboxes<SharedStack>
let sink: Sink

test.before(async () => {
  const joined = await joinSandboxes()
  s = joined
  sink = joined.sink
})
test.after.always(() => s?.[Symbol.asyncDispose]())

const EVERY = { workspaceId: '', pageToken: '' }

const newEmail = () => `${randomText(12)}@silva.example`

/** Of one attempt. A start that fails leaves nothing to claim, so it can be tried again like all the others. */
const ATTEMPT_MS = 20_000
const patiently = () => ({ deadline: Date.now() + ATTEMPT_MS })

const open = (primaryCaregiverEmail: string | undefined, change = {}) =>
  untilAnswered(() => s.sandbox.startWorkspace(request({ primaryCaregiverEmail, ...change }), patiently()))

const claim = (
  workspaceId: string,
  token: string,
  change: Partial<ClaimSandboxRequest> = {},
  sandbox: Pick<typeof s.sandbox, 'claimSandbox'> = s.sandbox,
) =>
  untilAnswered(() =>
    sandbox.claimSandbox(
      { workspaceId, name: 'Ana Silva', relationship: 'daughter', familyName: '', invite: [], ...change },
      { token, ...patiently() },
    ),
  )

const list = (token: string, change: Partial<typeof EVERY> = {}) =>
  untilAnswered(() => s.sandbox.listClaimableSandboxes({ ...EVERY, ...change }, { token, ...patiently() }))

const discard = (workspaceId: string, token: string) =>
  untilAnswered(() => s.sandbox.discardSandbox({ workspaceId, all: workspaceId === '' }, { token, ...patiently() }))

const refusal = (call: Promise<unknown>) =>
  call.then(
    () => 'not refused',
    ({ status, message, detail }: StatusError) => JSON.stringify({ status, message, detail }),
  )

const ownersOf = (workspaceId: string) =>
  s.rows('care-circle', 'members').find({ workspaceId, role: Role.OWNER }).toArray()

function mcpClient(url: string, key?: string) {
  const headers = key === undefined ? {} : { authorization: `Bearer ${key}` }
  const transport = new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } })
  const client = new Client({ name: 'evaluator', version: '1' })
  return { client, connected: client.connect(transport) }
}

/** Calls a tool again while the answer is to try again in a moment. */
async function callTool({ client }: ReturnType<typeof mcpClient>, name: string, args: Record<string, unknown>) {
  const call = () =>
    client.callTool({ name, arguments: args }).catch((error: unknown) => {
      if (error instanceof McpError && error.code === ErrorCode.InternalError) return undefined
      throw error
    })
  return (await readUntil(call, (result) => result !== undefined))?.structuredContent as Record<string, unknown>
}

test('an agent opens a sandbox, mail arrives, a person claims it, and the agent reads that mail with their key', async (t) => {
  const email = newEmail()
  const [ticked, unticked] = [newEmail(), newEmail()]
  const guest = mcpClient(`${s.stack.inboxUrl}/api/mcp/public`)
  await guest.connected
  const args = {
    ...ROSA,
    primaryCaregiverEmail: email.toUpperCase(),
    familyMemberEmails: [ticked, unticked],
    careContext: 'Lives alone.',
  }
  const started = await callTool(guest, 'start_family_care_workspace', args)
  const { workspaceId, lovedOneId, inboxAddress } = started as Record<string, string>
  t.regex(await deliver(s.stack.smtpPort, String(inboxAddress), plainMail('Your appointment')), /^250/)

  const { token, in: inWorkspace } = await s.person(email)
  const { sandboxes } = await list(token)
  t.is(sandboxes.length, 1)
  t.like(sandboxes[0], {
    workspaceId,
    lovedOneName: 'Rosa Silva',
    inboxAddress,
    careContext: 'Lives alone.',
    messageCount: 1,
    inviteDrafts: [ticked, unticked],
  })
  await claim(String(workspaceId), token, { invite: [ticked] })

  const member = await inWorkspace(String(workspaceId))
  const mint = () => s.auth.mintToolKey({ name: 'Agent', scopes: [] }, { token: member, ...patiently() })
  const { secret } = await untilAnswered(mint)
  const family = mcpClient(`${s.stack.apiUrl}/mcp/v1`, secret)
  await family.connected
  const { messages } = await callTool(family, 'list_inbox_messages', { lovedOneId })
  t.is((messages as { subject: string }[])[0]?.subject, 'Your appointment')
  const profile = await callTool(family, 'get_user_profile', {})
  t.true(JSON.stringify(profile).includes('Silva family'))
  t.false(JSON.stringify(profile).includes('sandbox'))
  const { members } = (await callTool(family, 'list_family_members', {})) as {
    members: { email: string; role: string; status: string }[]
  }
  t.deepEqual(
    members.map(({ email, role, status }) => ({ email, role, status })),
    [
      { email, role: 'owner', status: 'active' },
      { email: ticked, role: 'coordinator', status: 'invited' },
    ],
  )
  t.is((await sink.waitFor(ticked)).length, 1)
  t.false(sink.mails.some(({ to }) => to.includes(unticked) || to.includes(email)))
  const claimed = await s.rows('sandbox', 'sandboxes').findOne({ _id: workspaceId })
  t.deepEqual(Object.keys(claimed ?? {}).sort(), [
    '_id',
    'claimedBy',
    'createdAt',
    'deleteAt',
    'expiresAt',
    'lovedOneId',
    'state',
  ])
  await Promise.all([guest.client.close(), family.client.close()])
})

test('of thirty-two simultaneous claims one person becomes the owner', async (t) => {
  const email = newEmail()
  const invited = newEmail()
  const { workspaceId } = await open(email, { familyMemberEmails: [invited] })
  const second = await s.secondReplica()
  const right = await Promise.all(Array.from({ length: 16 }, () => s.person(email)))
  const wrong = await Promise.all(Array.from({ length: 16 }, () => s.person(newEmail())))
  const outcomes = await Promise.allSettled(
    [...right, ...wrong].map(({ token }, index) =>
      claim(workspaceId, token, { invite: [invited] }, index % 2 === 0 ? s.sandbox : second),
    ),
  )
  const winners = outcomes.flatMap(({ status }, index) => (status === 'fulfilled' ? [right[index]?.personId] : []))
  t.is(winners.length, 1)
  t.deepEqual(
    (await ownersOf(workspaceId)).map(({ personId }) => personId),
    winners,
  )
  t.is(await s.rows('care-circle', 'invitations').countDocuments({ workspaceId }), 1)
})

test('a person with two tabs claims once, and both tabs succeed', async (t) => {
  const email = newEmail()
  const invited = newEmail()
  const { workspaceId } = await open(email, { familyMemberEmails: [invited] })
  const { token, personId } = await s.person(email)
  await Promise.all([
    claim(workspaceId, token, { invite: [invited] }),
    claim(workspaceId, token, { invite: [invited] }),
  ])
  t.is((await claim(workspaceId, token)).workspaceId, workspaceId)
  t.deepEqual(
    (await ownersOf(workspaceId)).map((owner) => owner.personId),
    [personId],
  )
  t.is(await s.rows('care-circle', 'invitations').countDocuments({ workspaceId }), 1)
})

test('a person with another email learns nothing and changes nothing', async (t) => {
  const email = newEmail()
  const { workspaceId } = await open(email)
  const unclaimable = await open(undefined)
  const { token } = await s.person(newEmail())
  const nowhere = 'ws_00000000000000000000000000'
  t.deepEqual((await list(token)).sandboxes, [])
  t.is(await refusal(claim(workspaceId, token)), await refusal(claim(nowhere, token)))
  t.is(await refusal(claim(unclaimable.workspaceId, token)), await refusal(claim(nowhere, token)))
  t.is(await refusal(discard(workspaceId, token)), await refusal(discard(nowhere, token)))
  t.is((await list((await s.person(email)).token)).sandboxes.length, 1)
})

test('the email must match exactly and be proved in this sign-in', async (t) => {
  const { workspaceId } = await open('Ana+Care@silva-x.example')
  for (const other of [
    'ana@silva-x.example',
    'аna+care@silva-x.example',
    'ana+care@silva-x.example.org',
    'ana+care@silvа-x.example',
    'ana.+care@silva-x.example',
  ])
    t.regex(await refusal(claim(workspaceId, (await s.person(other)).token)), /NOT_FOUND/, other)
  t.regex(await refusal(claim(workspaceId, (await s.person()).token)), /FAILED_PRECONDITION/)
  await t.notThrowsAsync(claim(workspaceId, (await s.person('ana+care@silva-x.example')).token))
})

test('a discarded sandbox is deleted and cannot be claimed', async (t) => {
  const email = newEmail()
  const { workspaceId } = await open(email)
  const { token } = await s.person(email)
  await discard(workspaceId, token)
  t.deepEqual((await list(token)).sandboxes, [])
  t.regex(await refusal(claim(workspaceId, token)), /NOT_FOUND/)
  t.true(
    await becomesTrue(
      async () => (await s.rows('care-circle', 'workspaces').countDocuments({ _id: workspaceId })) === 0,
    ),
  )
})

test('an expired sandbox cannot be claimed, even before it is swept', async (t) => {
  const email = newEmail()
  const { workspaceId } = await open(email)
  await s
    .rows('sandbox', 'sandboxes')
    .updateOne({ _id: workspaceId }, { $set: { expiresAt: new Date(Date.now() - 1) } })
  t.regex(await refusal(claim(workspaceId, (await s.person(email)).token)), /NOT_FOUND/)
})

test('only drafts can be invited, and a refused claim changes nothing', async (t) => {
  const email = newEmail()
  const { workspaceId } = await open(email, { familyMemberEmails: ['rui@silva.example'] })
  const { token } = await s.person(email)
  t.regex(await refusal(claim(workspaceId, token, { invite: ['stranger@else.example'] })), /INVALID_ARGUMENT.*invite/)
  t.regex(await refusal(claim(workspaceId, token, { name: ' ' })), /INVALID_ARGUMENT.*name/)
  t.is((await list(token)).sandboxes.length, 1)
})

test('a claim interrupted after its decision is finished, and its inbox loses the sandbox limit', async (t) => {
  const email = newEmail()
  const { workspaceId } = await open(email)
  const { token } = await s.person(email)
  const words = {
    workspaceId,
    principal: token,
    ownerName: 'Ana Silva',
    relationship: '',
    name: 'Silva family',
    invitedEmails: [],
  }
  await untilAnswered(() => s.careCircleAsSandbox.claimSandboxWorkspace(words, patiently()))
  const rows = s.rows('sandbox', 'sandboxes')
  await rows.updateOne({ _id: workspaceId }, { $set: { state: 'claiming', dueAt: new Date(0) } })
  t.true(await becomesTrue(async () => (await rows.findOne({ _id: workspaceId }))?.state === 'claimed'))
  const address = await s.rows('inbox', 'inbox_addresses').findOne({ workspaceId })
  t.is(address?.quota, undefined)
})

test('a claim interrupted before its decision leaves the sandbox open until it expires', async (t) => {
  const { workspaceId } = await open(newEmail())
  const rows = s.rows('sandbox', 'sandboxes')
  await rows.updateOne({ _id: workspaceId }, { $set: { state: 'claiming', dueAt: new Date(0) } })
  t.true(await becomesTrue(async () => (await rows.findOne({ _id: workspaceId }))?.state === 'open'))
  const row = await rows.findOne({ _id: workspaceId })
  t.deepEqual(row?.dueAt, row?.expiresAt)
})

test('a claimed workspace is never removed, whatever its row says', async (t) => {
  const email = newEmail()
  const { workspaceId, inboxAddress } = await open(email)
  await claim(workspaceId, (await s.person(email)).token)
  const rows = s.rows('sandbox', 'sandboxes')
  await rows.updateOne({ _id: workspaceId }, { $set: { state: 'removing', dueAt: new Date(0) } })
  t.true(await becomesTrue(async () => (await rows.findOne({ _id: workspaceId }))?.state === 'claimed'))
  t.is((await ownersOf(workspaceId)).length, 1)
  t.regex(await deliver(s.stack.smtpPort, inboxAddress, plainMail('Still there')), /^250/)
})

test('among more sandboxes than fit a page, each is found by its id and by pages, and all can be discarded', async (t) => {
  const email = newEmail()
  const { workspaceId: real } = await open(email)
  const others = await Promise.all(Array.from({ length: 21 }, () => open(email)))
  const { token } = await s.person(email)
  const found = await list(token, { workspaceId: real })
  t.deepEqual(
    found.sandboxes.map(({ workspaceId }) => workspaceId),
    [real],
  )
  const first = await list(token)
  const second = await list(token, { pageToken: first.nextPageToken })
  t.is(second.nextPageToken, '')
  const listed = [...first.sandboxes, ...second.sandboxes].map(({ workspaceId }) => workspaceId)
  t.deepEqual(listed.toSorted(), [real, ...others.map(({ workspaceId }) => workspaceId)].toSorted())
  t.is(listed.at(-1), real, 'the newest comes first')

  const stranger = await s.person(newEmail())
  await discard('', stranger.token)
  t.is((await list(token)).sandboxes.length, 20, 'a stranger discards nothing')
  await discard('', token)
  t.deepEqual((await list(token)).sandboxes, [])
  const areGone = async () => (await s.rows('sandbox', 'sandboxes').countDocuments({ _id: { $in: listed } })) === 0
  t.true(await becomesTrue(areGone))
})

test('a claim that the sweeper finished succeeds again for the person who made it, and for nobody else', async (t) => {
  const email = newEmail()
  const { workspaceId } = await open(email)
  const [first, other] = [await s.person(email), await s.person(email)]
  await claim(workspaceId, first.token)
  await s.rows('sandbox', 'sandboxes').updateOne({ _id: workspaceId }, { $unset: { claimedBy: 1 } })
  t.regex(await refusal(claim(workspaceId, other.token)), /NOT_FOUND/)
  t.is((await claim(workspaceId, first.token)).workspaceId, workspaceId)
  t.deepEqual(
    (await ownersOf(workspaceId)).map(({ personId }) => personId),
    [first.personId],
  )
})
