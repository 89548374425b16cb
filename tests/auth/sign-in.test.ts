import type { Stack } from '@family-inbox/local-stack/run-stack'
import { CredentialKind } from '@family-inbox/proto/auth/v1/auth'
import { Role } from '@family-inbox/proto/carecircle/v1/care_circle'
import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import anyTest, { type TestFn } from 'ava'
import { type AuthStack, startAuthStack } from './_auth.ts'
import { areAdmitted, authenticate, authenticateAtOnce } from './_oauth.ts'
import { addWorkspace, codeIn, mailsTo, newEmail, signIn, signInMember } from './_people.ts'

const test = anyTest as TestFn<AuthStack<Stack>>

test.before(async (t) => {
  t.context = await startAuthStack({ env: { TOOL_CALLS_PER_MINUTE: '60' } })
})
test.after.always((t) => t.context[Symbol.asyncDispose]?.())

async function refused(work: Promise<unknown>): Promise<StatusError> {
  try {
    await work
  } catch (error) {
    if (error instanceof StatusError) return error
    throw error
  }
  throw new Error('it was not refused')
}

/** Runs many requests, a few at a time. */
async function inWaves(count: number, ask: (number: number) => Promise<unknown>): Promise<void> {
  for (let first = 0; first < count; first += 20)
    await Promise.all(Array.from({ length: 20 }, (_, index) => ask(first + index)))
}

test.serial('a mailed code signs its browser in and creates new people', async (t) => {
  const s = t.context
  const { challenge } = await s.as.site.startSignIn({ email: ' Ana@Example.ORG ', clientAddress: '203.0.113.1' })
  const [mail] = await mailsTo(s, 'ana@example.org')
  t.false(mail?.subject.includes(codeIn(mail).slice(0, 4)))
  t.true(codeIn(mail).length === 9)
  const first = await s.as.site.finishSignIn({
    challenge,
    code: ` ${codeIn(mail).replace(' ', '-')} `,
    userAgent: 'Mozilla/5.0 (iPhone) CriOS/137 Safari/604',
  })
  const who = await s.as.site.resolveSession({ session: first.session })
  t.is(who.email, 'ana@example.org')
  t.is(who.workspaceId, '')
  const again = await signIn(s, 'ana@example.org')
  t.not(again.session, first.session)
  const same = await s.as.site.resolveSession({ session: again.session })
  t.is(same.personId, who.personId)
  const { sessions } = await s.as.site.listSessions({ pageSize: 0, pageToken: '' }, { token: same.principal })
  t.deepEqual(
    sessions.map(({ userAgent }) => userAgent),
    ['Firefox on Windows', 'Chrome on iPhone'],
  )
})

test.serial('a code works once, even when entered twice at the same moment', async (t) => {
  const s = t.context
  const email = newEmail()
  const { challenge } = await s.as.site.startSignIn({ email, clientAddress: '203.0.113.2' })
  const code = codeIn((await mailsTo(s, email))[0])
  const entered = await Promise.allSettled(
    Array.from({ length: 16 }, () => s.as.site.finishSignIn({ challenge, code, userAgent: '' })),
  )
  t.is(entered.filter(({ status }) => status === 'fulfilled').length, 1)
})

test.serial('a code allows five tries, even concurrent ones; then the right code fails too', async (t) => {
  const s = t.context
  const email = newEmail()
  const { challenge } = await s.as.site.startSignIn({ email, clientAddress: '203.0.113.3' })
  const right = codeIn((await mailsTo(s, email))[0])
  const wrong = (guess: number) => String((Number(right.replace(' ', '')) + guess) % 100_000_000).padStart(8, '0')
  const errors = await Promise.all(
    Array.from({ length: 20 }, (_, guess) =>
      refused(s.as.site.finishSignIn({ challenge, code: wrong(guess + 1), userAgent: '' })),
    ),
  )
  t.is(errors.filter(({ status }) => status === 'INVALID_ARGUMENT').length, 4)
  t.is(errors.filter(({ status }) => status === 'FAILED_PRECONDITION').length, 16)
  t.true(errors.every(({ detail }) => detail.field === 'code'))
  const late = await refused(s.as.site.finishSignIn({ challenge, code: right, userAgent: '' }))
  t.is(late.status, 'FAILED_PRECONDITION')
})

test.serial('a code works only in the browser that requested it, for ten minutes', async (t) => {
  const s = t.context
  const [email, other] = [newEmail(), newEmail()]
  const mine = await s.as.site.startSignIn({ email, clientAddress: '203.0.113.4' })
  const theirs = await s.as.site.startSignIn({ email: other, clientAddress: '203.0.113.4' })
  const code = codeIn((await mailsTo(s, email))[0])
  const challenges = [theirs.challenge, '', `${mine.challenge}x`, mine.challenge.slice(0, -1)]
  for (const challenge of challenges) await refused(s.as.site.finishSignIn({ challenge, code, userAgent: '' }))
  const past = new Date(Date.now() - 1000)
  await s.mongo
    .db()
    .collection('sign_in_challenges')
    .updateOne({ email }, { $set: { expiresAt: past } })
  const late = await refused(s.as.site.finishSignIn({ challenge: mine.challenge, code, userAgent: '' }))
  t.is(late.status, 'FAILED_PRECONDITION')
})

test.serial(
  '1000 requests mail one address five codes, and known and unknown addresses get the same wait',
  async (t) => {
    const s = t.context
    const startedAt = Date.now()
    const known = (await signIn(s)).email
    for (const [email, count, allowed] of [
      [known, 1000, 4],
      [newEmail(), 100, 5],
    ] as const) {
      const before = s.mails.length
      const errors: StatusError[] = []
      await inWaves(count, (caller) =>
        s.as.site
          .startSignIn({ email, clientAddress: `100.64.${caller >> 8}.${caller & 255}` })
          .catch((error) => errors.push(error)),
      )
      t.is(errors.length, count - allowed)
      t.true(errors.every(({ status }) => status === 'RESOURCE_EXHAUSTED'))
      const passedSec = (Date.now() - startedAt) / 1000
      const waits = errors.map(({ detail }) => detail.retryAfterSec ?? 0)
      t.true(Math.max(...waits) <= 900 && Math.min(...waits) >= Math.floor(900 - passedSec))
      await mailsTo(s, email, 5)
      t.is(s.mails.length - before, allowed)
    }
  },
)

test.serial('the reported wait is exact', async (t) => {
  const s = t.context
  const email = newEmail()
  const start = () => s.as.site.startSignIn({ email, clientAddress: '203.0.113.5' })
  for (let round = 0; round < 5; round += 1) await start()
  const { detail } = await refused(start())
  const limits = s.mongo.db().collection<{ times: Date[] }>('rate_limits')
  const rows = await limits.find({ times: { $size: 5 } }).toArray()
  const row = rows.sort((a, b) => Number(b.times[0]) - Number(a.times[0]))[0]
  const goBack = (seconds: number) =>
    limits.updateOne(
      { _id: row?._id },
      { $set: { times: (row?.times ?? []).map((time) => new Date(time.getTime() - seconds * 1000)) } },
    )
  await goBack(Number(detail.retryAfterSec) - 3)
  t.is((await refused(start())).status, 'RESOURCE_EXHAUSTED')
  await goBack(Number(detail.retryAfterSec))
  await t.notThrowsAsync(start())
})

test.serial('1000 requests from one network mail 60 codes and do not delay other networks', async (t) => {
  const s = t.context
  const before = s.mails.length
  const errors: StatusError[] = []
  await inWaves(1000, (number) =>
    s.as.site
      .startSignIn({ email: `many${number}@family.example`, clientAddress: `2001:db8:7:7::${number % 99}` })
      .catch((error) => errors.push(error)),
  )
  t.is(errors.length, 940)
  t.true(errors.every(({ status }) => status === 'RESOURCE_EXHAUSTED'))
  await mailsTo(s, 'many0@family.example')
  t.is(s.mails.length - before, 60)
  await t.notThrowsAsync(s.as.site.startSignIn({ email: newEmail(), clientAddress: '2001:db8:7:8::1' }))
})

test.serial('forms without a session are limited to 300 a minute per network', async (t) => {
  const { site, gateway } = t.context.as
  const errors: StatusError[] = []
  await inWaves(320, (number) =>
    site.admitForm({ clientAddress: `2001:db8:7:9::${number % 99}` }).catch((error) => errors.push(error)),
  )
  t.is(errors.length, 20)
  t.true(errors.every(({ status, detail }) => status === 'RESOURCE_EXHAUSTED' && Number(detail.retryAfterSec) > 0))
  await t.notThrowsAsync(site.admitForm({ clientAddress: '2001:db8:7:a::1' }))
  t.is((await refused(gateway.admitForm({ clientAddress: '203.0.113.9' }))).status, 'PERMISSION_DENIED')
})

test.serial('an invalid email is refused by name, and look-alike addresses are different people', async (t) => {
  const s = t.context
  for (const email of [
    '',
    'ana',
    'ana@',
    '@example.org',
    'a b@example.org',
    'ana@example.org\r\nBcc: x@y.example',
    'ana\n@example.org',
    'ana@example.org, x@y.example',
    'ana@example.org;x@y.example',
    'Ana <ana@example.org>',
    '"ana\\r\\nBcc: x"@example.org',
    '"x@y.example z"@example.org',
    '=?utf-8?q?x=40y.example=3e?=@example.org',
    'ana@[127.0.0.1]',
    'ana@localhost',
    'ana\0@example.org',
    'ana\u202e@example.org',
    'ana\u{e0041}@example.org',
    `${'a'.repeat(1000)}@example.org`,
    `ana@${'example.'.repeat(124)}org`,
  ])
    t.is((await refused(s.as.site.startSignIn({ email, clientAddress: '203.0.113.6' }))).detail.field, 'email')
  const personOf = async (email: string) => {
    const { session } = await signIn(s, email)
    return (await s.as.site.resolveSession({ session })).personId
  }
  const latin = await personOf('anna@family.example')
  const lookalikes = ['аnna@family.example', 'anna+care@family.example', 'anná@family.example', 'anna@famıly.example']
  for (const email of lookalikes) t.not(await personOf(email), latin, email)
  const { challenge } = await s.as.site.startSignIn({ email: 'ANNA@Family.Example', clientAddress: '203.0.113.7' })
  const code = codeIn((await mailsTo(s, 'anna@family.example', 2))[1])
  const { session } = await s.as.site.finishSignIn({ challenge, code, userAgent: '' })
  t.is((await s.as.site.resolveSession({ session })).personId, latin)
  const international = await personOf('anna@bücher.example')
  const encoded = await s.as.site.startSignIn({ email: 'anna@xn--bcher-kva.example', clientAddress: '203.0.113.9' })
  const codeOfBoth = codeIn((await mailsTo(s, 'anna@bücher.example', 2))[1])
  const either = await s.as.site.finishSignIn({ challenge: encoded.challenge, code: codeOfBoth, userAgent: '' })
  t.is((await s.as.site.resolveSession(either)).personId, international)
  const composed = await personOf('ren\u00e9@family.example')
  t.is((await mailsTo(s, 'ren\u00e9@family.example')).length, 1)
  const decomposed = await s.as.site.startSignIn({ email: 'rene\u0301@family.example', clientAddress: '203.0.113.8' })
  const second = codeIn((await mailsTo(s, 'ren\u00e9@family.example', 2))[1])
  const again = await s.as.site.finishSignIn({ challenge: decomposed.challenge, code: second, userAgent: '' })
  t.is((await s.as.site.resolveSession(again)).personId, composed)
})

test.serial('a session has 60 calls a minute, and only with a workspace selected', async (t) => {
  const s = t.context
  const person = await signIn(s)
  const homeless = await authenticate(s, person.session, CredentialKind.SESSION)
  t.is(homeless.admission, 'ADMISSION_UNKNOWN_CREDENTIAL')
  const workspaceId = await addWorkspace(s, person)
  await s.as.site.selectWorkspace({ session: person.session, workspaceId })
  const [admitted] = await Promise.all([authenticate(s, person.session, CredentialKind.SESSION)])
  t.is(admitted.admission, 'ADMISSION_ADMITTED')
  t.like(admitted.caller, { workspaceId, kind: CredentialKind.SESSION, scopes: [], scopesEnforced: false })
  const { email } = JSON.parse(Buffer.from(admitted.caller?.principal.split('.')[1] ?? '', 'base64url').toString())
  t.is(email, person.email)
  const more = await authenticateAtOnce(
    Array.from({ length: 80 }, () => [s, person.session, CredentialKind.SESSION] as const),
  )
  t.true(areAdmitted(more, 59))
  t.true(more.results.every(({ admission, retryAfterSec }) => admission === 'ADMISSION_ADMITTED' || retryAfterSec > 20))
  await t.notThrowsAsync(s.as.site.resolveSession({ session: person.session }))
})

test.serial('a workspace cannot be selected by a non-member', async (t) => {
  const s = t.context
  const [mine, theirs] = [await signInMember(s), await signInMember(s)]
  for (const workspaceId of [theirs.workspaceId, 'ws_nothing', ''])
    t.is((await refused(s.as.site.selectWorkspace({ session: mine.session, workspaceId }))).status, 'PERMISSION_DENIED')
  t.is((await s.as.site.resolveSession({ session: mine.session })).workspaceId, mine.workspaceId)
})

test.serial('a page gets the workspace of its session, and nothing of another one', async (t) => {
  const s = t.context
  const [mine, theirs] = [await signInMember(s), await signInMember(s)]
  const token = await mine.principal()
  await s.careCircle.addLovedOne({ name: 'Rosa' }, { token })
  await s.careCircle.addLovedOne({ name: 'Jorge' }, { token: await theirs.principal() })
  const { principal, personId, email, workspace } = await s.as.site.enterWorkspace({ session: mine.session })
  t.is(email, mine.email)
  t.like(workspace, { id: mine.workspaceId, role: Role.OWNER, hasOthers: false })
  t.deepEqual(
    workspace?.lovedOnes.map(({ name }) => name),
    ['Rosa'],
  )
  t.deepEqual(
    workspace?.members.map((one) => [one.personId, one.email]),
    [[personId, mine.email]],
  )
  await t.notThrowsAsync(s.careCircle.listMembers({}, { token: principal }))
  const second = await addWorkspace(s, mine)
  t.true((await s.as.site.enterWorkspace({ session: mine.session })).workspace?.hasOthers)
  await s.as.site.selectWorkspace({ session: mine.session, workspaceId: second })
  t.is((await s.as.site.enterWorkspace({ session: mine.session })).workspace?.id, second)
  await s.careCircle.deleteWorkspace({}, { token: await mine.principal() })
  t.is((await s.as.site.enterWorkspace({ session: mine.session })).workspace, undefined)
  const homeless = await signIn(s)
  t.is((await s.as.site.enterWorkspace({ session: homeless.session })).workspace, undefined)
})

test.serial('revoked, expired and unknown sessions are refused, and ending all ends each one', async (t) => {
  const s = t.context
  const person = await signInMember(s)
  const second = await signIn(s, person.email)
  await s.as.site.selectWorkspace({ session: second.session, workspaceId: person.workspaceId })
  const stranger = await signInMember(s)
  const { sessionId, principal } = await s.as.site.resolveSession({ session: person.session })
  const foreign = { sessionId: (await s.as.site.resolveSession({ session: stranger.session })).sessionId }
  t.is((await refused(s.as.site.revokeSessions(foreign, { token: principal }))).status, 'NOT_FOUND')
  await s.as.site.revokeSessions({ sessionId }, { token: principal })
  const dead = await authenticate(s, person.session, CredentialKind.SESSION)
  t.is(dead.admission, 'ADMISSION_UNKNOWN_CREDENTIAL')
  t.is(dead.caller?.credentialId, sessionId)
  t.is(dead.caller?.principal, '')
  t.is((await refused(s.as.site.resolveSession({ session: person.session }))).status, 'UNAUTHENTICATED')
  await t.notThrowsAsync(s.as.site.resolveSession({ session: second.session }))
  await s.as.site.revokeSessions({ sessionId: '' }, { token: await second.principal() })
  for (const session of [second.session, '', 'x', `${stranger.session}x`])
    for (const asked of [s.as.site.resolveSession({ session }), s.as.site.enterWorkspace({ session })])
      t.is((await refused(asked)).status, 'UNAUTHENTICATED')
  await t.notThrowsAsync(s.as.site.resolveSession({ session: stranger.session }))
  const past = new Date(Date.now() - 1000)
  await s.mongo
    .db()
    .collection('sessions')
    .updateOne({ email: stranger.email }, { $set: { expiresAt: past } })
  t.is((await refused(s.as.site.resolveSession({ session: stranger.session }))).status, 'UNAUTHENTICATED')
  const late = await authenticate(s, stranger.session, CredentialKind.SESSION)
  t.is(late.admission, 'ADMISSION_UNKNOWN_CREDENTIAL')
})

test.serial('each use extends a session, but never past its end', async (t) => {
  const s = t.context
  const { email, session } = await signIn(s)
  const sessions = s.mongo.db().collection('sessions')
  const soon = new Date(Date.now() + 60_000)
  await sessions.updateOne({ email }, { $set: { expiresAt: soon } })
  await s.as.site.resolveSession({ session })
  const days = (row: { expiresAt: Date } | null) => Math.round((Number(row?.expiresAt) - Date.now()) / 86_400_000)
  t.is(days(await sessions.findOne<{ expiresAt: Date }>({ email })), 30)
  await sessions.updateOne({ email }, { $set: { endsAt: soon } })
  await s.as.site.resolveSession({ session })
  t.deepEqual((await sessions.findOne<{ expiresAt: Date }>({ email }))?.expiresAt, soon)
})

test.serial('session lists are paged', async (t) => {
  const s = t.context
  const { email } = await signIn(s)
  for (let round = 0; round < 4; round += 1) await signIn(s, email)
  const person = await s.mongo.db().collection('sessions').findOne({ email })
  const identity = { token: (await s.as.site.resolveSession(await freshSession(s, email))).principal }
  const first = await s.as.site.listSessions({ pageSize: 2, pageToken: '' }, identity)
  const rest = await s.as.site.listSessions({ pageSize: 100, pageToken: first.nextPageToken }, identity)
  t.is(first.sessions.length, 2)
  t.is(new Set([...first.sessions, ...rest.sessions].map(({ id }) => id)).size, 5)
  t.is(rest.nextPageToken, '')
  t.truthy(person)
})

/** Allows another sign-in for an address that has used up its codes. */
async function freshSession(s: AuthStack, email: string): Promise<{ session: string }> {
  const { createHash } = await import('node:crypto')
  const session = 'a-secret-of-this-test-and-of-nobody-else'
  const hash = createHash('sha256').update(session).digest('hex')
  await s.mongo.db().collection('sessions').updateOne({ email }, { $set: { hash } })
  return { session }
}

test.serial('only the site may sign people in, and only site and gateway may resolve sessions', async (t) => {
  const s = t.context
  const { session } = await signInMember(s)
  for (const other of [s.as.gateway, s.as.ops]) {
    const calls = [
      other.startSignIn({ email: newEmail(), clientAddress: '' }),
      other.finishSignIn({ challenge: '', code: '', userAgent: '' }),
      other.selectWorkspace({ session, workspaceId: '' }),
      other.getConsent({ interactionId: '', cookie: '' }),
    ]
    for (const call of calls) t.is((await refused(call)).status, 'PERMISSION_DENIED')
  }
  await t.notThrowsAsync(s.as.gateway.resolveSession({ session }))
  t.is((await refused(s.as.ops.resolveSession({ session }))).status, 'PERMISSION_DENIED')
  for (const other of [s.as.gateway, s.as.ops])
    t.is((await refused(other.enterWorkspace({ session }))).status, 'PERMISSION_DENIED')
  const asSite = s.as.site.authenticate({ credentials: [{ kind: CredentialKind.SESSION, value: session }] })
  t.is((await refused(asSite)).status, 'PERMISSION_DENIED')
})

test.serial('no code, challenge or session secret is in the database or the log', async (t) => {
  const s = t.context
  const email = newEmail()
  const { challenge } = await s.as.site.startSignIn({ email, clientAddress: '192.0.2.77' })
  const code = codeIn((await mailsTo(s, email))[0]).replace(' ', '')
  const { session } = await s.as.site.finishSignIn({ challenge, code, userAgent: 'Secret/1 (userAgent)' })
  const stored = JSON.stringify(await everything(s))
  const { readFileSync } = await import('node:fs')
  const log = readFileSync(s.stack.logs('auth'), 'utf8')
  for (const secret of [challenge, code, session, '192.0.2.77', 'Secret/1']) {
    t.false(stored.includes(secret))
    t.false(log.includes(secret))
  }
  t.true(stored.includes(email))
  t.false(log.includes(email))
})

async function everything(s: AuthStack): Promise<unknown[]> {
  const collections = await s.mongo.db().collections()
  return Promise.all(collections.map((collection) => collection.find().toArray()))
}
