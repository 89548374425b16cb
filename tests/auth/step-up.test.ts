import { createHash } from 'node:crypto'
import { CredentialKind } from '@family-inbox/proto/auth/v1/auth'
import { Role } from '@family-inbox/proto/carecircle/v1/care_circle'
import type { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import anyTest, { type TestFn } from 'ava'
import { type Guest, send } from '../_family.ts'
import { refusalOf } from '../_outcome.ts'
import { Visitor } from '../_visitor.ts'
import { until } from '../_wait.ts'
import { type AuthStack, joinBehindGateway } from './_auth.ts'
import { authenticate, connectApplication } from './_oauth.ts'
import { addWorkspace, codeIn, type Member, mailsTo, newEmail, signIn, signInMember } from './_people.ts'

const test = anyTest.serial as TestFn<AuthStack>

test.before(async (t) => {
  t.context = await joinBehindGateway()
})
test.after.always((t) => t.context[Symbol.asyncDispose]?.())

/** The acts that are hard to undo, called with this principal. */
const DEEDS: Record<string, (s: AuthStack, token: string) => Promise<unknown>> = {
  'mint a key': ({ as }, token) => as.site.mintToolKey({ name: 'k', scopes: [] }, { token }),
  'begin a passkey': ({ as }, token) => as.site.beginAddPasskey({}, { token }),
  'add a passkey': ({ as }, token) => as.site.addPasskey({ name: 'p', passkey: undefined }, { token }),
  'remove a passkey': ({ as }, token) => as.site.removePasskey({ passkeyId: 'pky_other' }, { token }),
  'create a calendar address': ({ careCircle }, token) =>
    careCircle.createCalendarFeed({ lovedOneId: '', withDetails: true, idempotencyKey: '' }, { token }),
  'invite a coordinator': ({ careCircle }, token) => careCircle.inviteMember(invitationFor(newEmail()), { token }),
  'hand over': ({ careCircle }, token) => careCircle.transferOwnership({ personId: 'per_other' }, { token }),
  'make an owner': ({ careCircle }, token) =>
    careCircle.changeRole({ personId: 'per_other', role: Role.OWNER }, { token }),
  'delete the family': ({ careCircle }, token) => careCircle.deleteWorkspace({}, { token }),
  'delete the account': ({ as }, token) => as.site.deleteAccount({}, { token }),
}

function invitationFor(email: string, role: Role = Role.COORDINATOR) {
  return { email, role, relationship: '', message: '', idempotencyKey: `${Math.random()}` }
}

function isAskedToConfirm(error: StatusError | undefined): boolean {
  return error?.status === 'UNAUTHENTICATED' && error.detail.field === 'verifiedAt'
}

/** Makes this person's sign-ins and confirmations eleven minutes old. */
async function elevenMinutesLater(s: AuthStack, email: string): Promise<void> {
  const before = new Date(Date.now() - 11 * 60_000)
  await s.mongo
    .db()
    .collection('sessions')
    .updateMany({ email }, { $set: { createdAt: before }, $unset: { verifiedAt: 1 } })
}

async function confirm(s: AuthStack, { email, session }: Member): Promise<void> {
  const seen = s.mails.filter(({ toAddress }) => toAddress === email).length
  const { challenge } = await s.as.site.mailConfirmationCode({ session })
  const code = codeIn((await mailsTo(s, email, seen + 1)).at(-1))
  await s.as.site.confirmSession({ session, challenge, code, passkey: undefined })
}

test('a fresh sign-in is enough; eleven minutes later I must confirm it’s me', async (t) => {
  const s = t.context
  const person = await signInMember(s)
  t.is(await refusalOf(DEEDS['mint a key']?.(s, await person.principal()) ?? Promise.resolve()), undefined)
  await elevenMinutesLater(s, person.email)
  const token = await person.principal()
  for (const [name, deed] of Object.entries(DEEDS)) t.true(isAskedToConfirm(await refusalOf(deed(s, token))), name)
  await t.notThrowsAsync(s.as.site.listToolKeys({ pageSize: 0, pageToken: '' }, { token }))
  await confirm(s, person)
  t.is(
    await refusalOf(s.as.site.mintToolKey({ name: 'k', scopes: [] }, { token: await person.principal() })),
    undefined,
  )
})

test('more access for a viewer needs a recent sign-in, and inviting one does not', async (t) => {
  const s = t.context
  const [owner, viewer] = [await signInMember(s), await signIn(s)]
  await elevenMinutesLater(s, owner.email)
  const invitation = invitationFor(viewer.email, Role.VIEWER)
  const { token } = await s.careCircle.inviteMember(invitation, { token: await owner.principal() })
  await s.careCircle.acceptInvitation({ token, name: 'Luis' }, { token: await viewer.principal() })
  const { personId } = await s.as.site.resolveSession({ session: viewer.session })
  const change = (role: Role) =>
    owner.principal().then((own) => s.careCircle.changeRole({ personId, role }, { token: own }))
  t.true(isAskedToConfirm(await refusalOf(change(Role.COORDINATOR))))
  await confirm(s, owner)
  t.is(await refusalOf(change(Role.COORDINATOR)), undefined)
  await elevenMinutesLater(s, owner.email)
  t.is(await refusalOf(change(Role.VIEWER)), undefined)
})

test('an old session cannot invite a coordinator through the tool either, and a key can', async (t) => {
  const s = t.context
  const person = await signInMember(s)
  const { secret } = await s.as.site.mintToolKey({ name: 'k', scopes: [] }, { token: await person.principal() })
  const invite = (role: string, headers: Record<string, string>) => {
    const params = { name: 'invite_family_member', arguments: { email: newEmail(), role } }
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params })
    const more = { 'content-type': 'application/json', origin: s.stack.inboxUrl, ...headers }
    return send(`${s.stack.inboxUrl}/api/mcp`, { method: 'POST', headers: more, body })
  }
  const bySession = { cookie: `family_session=${person.session}` }
  t.false((await invite('coordinator', bySession)).json.result.isError ?? false)
  await elevenMinutesLater(s, person.email)
  const { status, json } = await invite('coordinator', bySession)
  t.is(status, 200)
  t.true(json.result.isError)
  t.regex(json.result.content[0].text, /nothing was done. They can do this in the application/)
  t.false((await invite('viewer', bySession)).json.result.isError ?? false)
  t.false((await invite('coordinator', { authorization: `Bearer ${secret}` })).json.result.isError ?? false)
})

test('signing out everywhere can disconnect all my assistants, in every family', async (t) => {
  const s = t.context
  const [person, other] = [await signInMember(s), await signInMember(s)]
  const mint = async (of: Member) =>
    (await s.as.site.mintToolKey({ name: 'k', scopes: [] }, { token: await of.principal() })).secret
  const secrets = [await mint(person), await mint(other)]
  const { tokens } = await connectApplication(s, person)
  await s.as.site.selectWorkspace({ session: person.session, workspaceId: await addWorkspace(s, person) })
  secrets.push(await mint(person))
  const admissions = () =>
    Promise.all([
      ...secrets.map(async (secret) => (await authenticate(s, secret, CredentialKind.TOOL_KEY)).admission),
      authenticate(s, tokens.access_token).then(({ admission }) => admission),
    ])
  const again = await signIn(s, person.email)
  await s.as.site.revokeSessions({ sessionId: '' }, { token: await again.principal() })
  t.deepEqual(await admissions(), Array(4).fill('ADMISSION_ADMITTED'))
  const visitor = new Visitor({ stack: s.stack } as unknown as Guest)
  const last = await signIn(s, person.email)
  await s.as.site.selectWorkspace({ session: last.session, workspaceId: person.workspaceId })
  visitor.adopt('family_session', last.session)
  t.regex((await visitor.get('/settings/devices')).text, /And disconnect all my assistants/)
  const { headers } = await visitor.submit('/settings/devices/everywhere', { assistants: 'disconnect' })
  t.regex((await visitor.get(String(headers.location))).text, /Your assistants are disconnected/)
  const gone = 'ADMISSION_UNKNOWN_CREDENTIAL'
  t.deepEqual(await admissions(), [gone, 'ADMISSION_ADMITTED', gone, gone])
})

test('a tool key or an assistant’s session never counts as me', async (t) => {
  const s = t.context
  const person = await signInMember(s)
  const { secret } = await s.as.site.mintToolKey({ name: 'k', scopes: [] }, { token: await person.principal() })
  const byKey = await authenticate(s, secret, CredentialKind.TOOL_KEY)
  const bySession = await authenticate(s, person.session, CredentialKind.SESSION)
  for (const { caller } of [byKey, bySession]) {
    t.truthy(caller?.principal)
    const { 'invite a coordinator': _allowed, ...deeds } = DEEDS
    for (const [name, deed] of Object.entries(deeds)) {
      const error = await refusalOf(deed(s, caller?.principal ?? ''))
      // A principal issued to the gateway is valid only from the gateway, so the site's calls fail earlier.
      const isRefused = isAskedToConfirm(error) || error?.status === 'UNAUTHENTICATED'
      t.true(isRefused || (error !== undefined && name === 'delete the account'), name)
    }
  }
})

test('a code confirms only its own session and signs nobody in', async (t) => {
  const s = t.context
  const person = await signInMember(s)
  const other = await signIn(s, person.email)
  const { challenge } = await s.as.site.mailConfirmationCode({ session: person.session })
  const mail = (await mailsTo(s, person.email, 3)).at(-1)
  const code = codeIn(mail)
  t.false(mail?.subject.includes(code))
  t.is(mail?.subject, 'Your confirmation code')
  const attempts = [
    s.as.site.confirmSession({ session: other.session, challenge, code, passkey: undefined }),
    s.as.site.finishSignIn({ challenge, code, userAgent: '' }),
    s.as.site.confirmSession({ session: 'nobody', challenge, code, passkey: undefined }),
  ]
  for (const attempt of attempts) t.truthy(await refusalOf(attempt))
  const signInCode = await s.as.site.startSignIn({ email: person.email, clientAddress: '203.0.113.77' })
  const signInMail = (await mailsTo(s, person.email, 4)).at(-1)
  t.is(signInMail?.subject, 'Your sign-in code')
  const misused = { session: person.session, challenge: signInCode.challenge, code: codeIn(signInMail) }
  t.truthy(await refusalOf(s.as.site.confirmSession({ ...misused, passkey: undefined })))
  t.is(
    await refusalOf(s.as.site.confirmSession({ session: person.session, challenge, code, passkey: undefined })),
    undefined,
  )
})

test('the page asks me to confirm, then returns with what I typed', async (t) => {
  const s = t.context
  const visitor = new Visitor({ stack: s.stack } as unknown as Guest)
  const email = newEmail()
  await visitor.submit('/sign-in', { email, return_to: '/' })
  await visitor.submit('/sign-in/code', { code: codeIn((await mailsTo(s, email))[0]) })
  const family = { lovedOne: 'Rosa', yourName: 'Ana', relationship: 'daughter', familyName: 'F', step: '2', key: email }
  await visitor.submit('/welcome', family)
  await elevenMinutesLater(s, email)
  const asked = await visitor.submit('/settings/tool-keys', { name: 'Claude on my laptop', request: 'req_1' })
  t.is(asked.headers.location, '/confirm')
  t.regex((await visitor.get('/confirm')).text, /Confirm it(’|&#39;|')s you/)
  t.is((await visitor.submit('/confirm/mail', {})).headers.location, '/confirm/code')
  t.is((await visitor.submit('/confirm/code', { code: '0000 0000' })).status, 422)
  const code = codeIn((await mailsTo(s, email, 2)).at(-1))
  t.is((await visitor.submit('/confirm/code', { code })).headers.location, '/settings/tool-keys')
  const back = await visitor.get('/settings/tool-keys')
  t.true(back.text.includes('value="Claude on my laptop"'))
  t.false((await visitor.get('/settings/tool-keys')).text.includes('value="Claude on my laptop"'))
  const { headers } = await visitor.submit('/settings/tool-keys', { name: 'Claude', request: 'req_2' })
  t.regex((await visitor.get(String(headers.location))).text, /sk-sand-/)
})

test('keys of a person who leaves stay revoked, even after they rejoin', async (t) => {
  const s = t.context
  const { person, rejoin, remove } = await memberOfAnother(s)
  const mint = async () =>
    (await s.as.site.mintToolKey({ name: 'k', scopes: [] }, { token: await person.principal() })).secret
  const [old, legacy] = [await mint(), await mint()]
  await s.mongo
    .db()
    .collection('tool_keys')
    .updateOne({ hash: createHash('sha256').update(legacy).digest('hex') }, { $unset: { memberSince: 1 } })
  await remove()
  await rejoin()
  const fresh = await mint()
  for (const secret of [old, legacy])
    await until(async () => (await authenticate(s, secret, CredentialKind.TOOL_KEY)).admission !== 'ADMISSION_ADMITTED')
  t.is((await authenticate(s, fresh, CredentialKind.TOOL_KEY)).admission, 'ADMISSION_ADMITTED')
})

test('their keys are revoked even if the queue was down during the removal', async (t) => {
  await using s = await joinBehindGateway('mortal')
  const { person, remove } = await memberOfAnother(s)
  const { secret } = await s.as.site.mintToolKey({ name: 'k', scopes: [] }, { token: await person.principal() })
  await s.stack.pause('nats-server')
  await remove().finally(() => s.stack.resume('nats-server'))
  await until(async () => (await authenticate(s, secret, CredentialKind.TOOL_KEY)).admission !== 'ADMISSION_ADMITTED')
  t.pass()
})

test('a removed member sees one plain notice', async (t) => {
  const s = t.context
  const { person, remove } = await memberOfAnother(s)
  const visitor = new Visitor({ stack: s.stack } as unknown as Guest)
  visitor.adopt('family_session', person.session)
  await remove()
  t.regex(await follow(visitor, '/'), /You no longer have access to that family/)
  t.notRegex(await follow(visitor, '/'), /You no longer have access/)
})

test('a removed member who signs in again sees the notice too, once', async (t) => {
  const s = t.context
  const { person, remove } = await memberOfAnother(s)
  await s.as.site.resolveSession({ session: person.session })
  await remove()
  const visitor = new Visitor({ stack: s.stack } as unknown as Guest)
  const next = async () => {
    const again = await signIn(s, person.email)
    visitor.adopt('family_session', again.session)
    return follow(visitor, '/')
  }
  t.regex(await next(), /You no longer have access to that family/)
  t.notRegex(await next(), /You no longer have access/)
})

async function follow(visitor: Visitor, path: string): Promise<string> {
  let answer = await visitor.get(path)
  for (let hops = 0; hops < 5 && answer.headers.location; hops += 1)
    answer = await visitor.get(String(answer.headers.location))
  return answer.text
}

/** A coordinator of another family, who can be removed and invited again. */
async function memberOfAnother(s: AuthStack) {
  const owner = await signInMember(s)
  const person = await signIn(s)
  const join = async () => {
    const { token } = await s.careCircle.inviteMember(invitationFor(person.email), { token: await owner.principal() })
    await s.careCircle.acceptInvitation({ token, name: 'Luis' }, { token: await person.principal() })
    await s.as.site.selectWorkspace({ session: person.session, workspaceId: owner.workspaceId })
  }
  await join()
  const { personId } = await s.as.site.resolveSession({ session: person.session })
  const remove = async () => s.careCircle.removeMember({ personId }, { token: await owner.principal() })
  return { person, rejoin: join, remove }
}
