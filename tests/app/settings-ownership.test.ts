import { connect, type Services } from '@family-inbox/ops/services'
import { Role } from '@family-inbox/proto/carecircle/v1/care_circle'
import { NotificationMode } from '@family-inbox/proto/inbox/v1/inbox'
import { randomText } from '@family-inbox/service-kit/ids/ids'
import type { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import anyTest, { type TestFn } from 'ava'
import { type Guest, joinFamily } from '../_family.ts'
import { statusOf } from '../_outcome.ts'

type Workspace = { workspaceId: string; owner: string; viewer: string; ownerKeyId: string }
type World = { f: Guest; services: Services; ours: Workspace; theirs: Workspace; stranger: string }

const test = anyTest as TestFn<World>

test.before(async (t) => {
  const f = await joinFamily('standard', { withMail: true })
  const services = await connect(f.stack.target)
  const [ours, theirs] = [await found(services), await found(services)]
  t.context = { f, services, ours, theirs, stranger: await newPerson(services) }
})
test.after.always(async (t) => {
  t.context.services?.[Symbol.dispose]()
  await t.context.f?.[Symbol.asyncDispose]()
})

/** Every call that settings pages make, on the owner’s key. */
const CALLS: Record<string, (s: Services, token: string, keyId: string) => Promise<unknown>> = {
  getToolKey: ({ auth }, token, keyId) => auth.getToolKey({ keyId }, { token }),
  revokeToolKey: ({ auth }, token, keyId) => auth.revokeToolKey({ keyId }, { token }),
  getGrant: ({ auth }, token, grantId) => auth.getGrant({ grantId }, { token }),
  revokeGrant: ({ auth }, token, grantId) => auth.revokeGrant({ grantId }, { token }),
  changeToolKey: ({ auth }, token, keyId) => auth.changeToolKey({ keyId, paused: true }, { token }),
  changeGrant: ({ auth }, token, grantId) => auth.changeGrant({ grantId, paused: true }, { token }),
  mintToolKey: ({ auth }, token) => auth.mintToolKey({ name: 'k', scopes: [] }, { token }),
  listToolKeys: ({ auth }, token) => auth.listToolKeys({ pageSize: 0, pageToken: '' }, { token }),
  listAuditEntries: ({ auth }, token) => auth.listAuditEntries({ ...ALL_CALLS }, { token }),
  beginExport: ({ auth }, token) => auth.beginExport({}, { token }),
  exportRecords: ({ auth }, token) => first(auth.exportRecords({}, { token })),
  exportWorkspace: ({ careCircle }, token) => first(careCircle.exportWorkspace({}, { token })),
  exportInbox: ({ inbox }, token) => first(inbox.exportInbox({}, { token })),
  getNotifications: ({ inbox }, token) => inbox.getNotifications({}, { token }),
  listSubjects: ({ inbox }, token) => inbox.listSubjects({ messages: [] }, { token }),
  setNotifications: ({ inbox }, token) => inbox.setNotifications(DIGEST, { token }),
  deleteWorkspace: ({ careCircle }, token) => careCircle.deleteWorkspace({}, { token }),
}

const ALL_CALLS = { pageSize: 0, pageToken: '', tool: '', outcomes: [], personId: '' }
const DIGEST = { mode: NotificationMode.DIGEST, timeZone: 'UTC' }

test('a viewer may manage their own settings; another person’s things do not exist for them', async (t) => {
  const { services, ours } = t.context
  for (const [name, call] of Object.entries(CALLS)) {
    const status = await statusOf(call(services, ours.viewer, ours.ownerKeyId))
    const expected = /^(get|change|revoke)(ToolKey|Grant)$/.test(name)
      ? 'NOT_FOUND'
      : name === 'deleteWorkspace'
        ? 'PERMISSION_DENIED'
        : 'OK'
    t.is(status, expected, name)
  }
})

test('a person without a workspace, or a service, is refused every call', async (t) => {
  const { services, ours, stranger } = t.context
  for (const [name, call] of Object.entries(CALLS)) {
    t.is(await statusOf(call(services, stranger, ours.ownerKeyId)), 'PERMISSION_DENIED', name)
    t.not(await statusOf(call(services, '', ours.ownerKeyId)), 'OK', name)
  }
})

test('another workspace’s key gets the same response as an unknown key', async (t) => {
  const { services, ours, theirs } = t.context
  for (const name of [
    'getToolKey',
    'changeToolKey',
    'revokeToolKey',
    'getGrant',
    'changeGrant',
    'revokeGrant',
  ] as const) {
    const call = CALLS[name] as (typeof CALLS)[string]
    const foreign = await t.throwsAsync<StatusError>(call(services, theirs.owner, ours.ownerKeyId))
    const missing = await t.throwsAsync<StatusError>(call(services, theirs.owner, 'key_00000000000000000000000000'))
    t.deepEqual({ ...foreign, stack: '' }, { ...missing, stack: '' }, name)
    t.is(foreign?.message, missing?.message)
  }
  t.is(await statusOf(services.auth.getToolKey({ keyId: ours.ownerKeyId }, { token: ours.owner })), 'OK')
})

test('another family’s message has no subject for me', async (t) => {
  const { f, services, ours } = t.context
  const [lovedOne] = f.family.lovedOnes
  const lovedOneId = lovedOne?.id ?? ''
  const { json } = await f.call(f.family.keys.owner, 'list_inbox_messages', { lovedOneId })
  const listed: { id: string }[] = json.result.structuredContent.messages
  t.true(listed.length > 0)
  const messages = listed.map(({ id }) => ({ messageId: id, lovedOneId }))
  t.deepEqual(await services.inbox.listSubjects({ messages }, { token: ours.owner }), { subjects: [] })
  const many = Array.from({ length: 101 }, () => ({ messageId: 'msg_1', lovedOneId }))
  t.is(await statusOf(services.inbox.listSubjects({ messages: many }, { token: ours.owner })), 'INVALID_ARGUMENT')
})

test('calls between services are refused to people', async (t) => {
  const { services, ours } = t.context
  const { auth, careCircle, inbox } = services
  const everything = { after: new Date(0), until: new Date() }
  const asked = [
    (token?: string) => careCircle.leaveWorkspaces({ personId: 'per_x' }, { token }),
    (token?: string) =>
      careCircle.listMailRecipients(
        { workspaceId: ours.workspaceId, personIds: [], emails: [], owner: false },
        { token },
      ),
    (token?: string) => inbox.unsubscribe({ token: 'x' }, { token }),
    (token?: string) => auth.countCalls({ ...everything, workspaceId: ours.workspaceId, personId: '' }, { token }),
  ]
  for (const ask of asked)
    for (const token of [undefined, ours.owner]) t.is(await statusOf(ask(token)), 'PERMISSION_DENIED')
})

test('an invalid setting is refused and names the field', async (t) => {
  const { services, ours } = t.context
  const set = (mode: NotificationMode, timeZone: string) =>
    services.inbox.setNotifications({ mode, timeZone }, { token: ours.owner })
  const field = async (work: Promise<unknown>) => (await t.throwsAsync<StatusError>(work))?.detail.field
  t.is(await field(set(NotificationMode.UNSPECIFIED, 'UTC')), 'mode')
  t.is(await field(set(NotificationMode.EACH, 'Moon/Crater')), 'timeZone')
  t.is(await field(services.auth.updateProfile({ name: ' ' }, { token: ours.owner })), 'name')
  t.is(await field(services.careCircle.renameMember({ name: 'a\nb' }, { token: ours.owner })), 'name')
})

async function found(services: Services): Promise<Workspace> {
  const owner = await newPerson(services)
  const request = { name: 'The Okafor family', ownerName: 'Ngozi', relationship: '' }
  const { workspaceId } = await services.careCircle.createWorkspace(request, { token: owner })
  const enter = async (token: string) => (await services.auth.switchWorkspace({ workspaceId }, { token })).principal
  const ownerToken = await enter(owner)
  const email = `${randomText(10)}@okafor.example`
  const { principal } = await services.auth.createPerson({ email, name: 'Tunde' })
  const invitation = { email, role: Role.VIEWER, relationship: '', message: '', idempotencyKey: '' }
  const { token } = await services.careCircle.inviteMember(invitation, { token: ownerToken })
  await services.careCircle.acceptInvitation({ token, name: 'Tunde' }, { token: principal })
  const { key } = await services.auth.mintToolKey({ name: 'k', scopes: [] }, { token: ownerToken })
  return { workspaceId, owner: ownerToken, viewer: await enter(principal), ownerKeyId: key?.id ?? '' }
}

async function newPerson({ auth }: Services): Promise<string> {
  return (await auth.createPerson({ email: `${randomText(10)}@okafor.example`, name: 'Ngozi' })).principal
}

async function first<T>(stream: AsyncIterable<T>): Promise<T | undefined> {
  for await (const piece of stream) return piece
  return undefined
}
