import anyTest, { type TestFn } from 'ava'
import type { Guest } from '../_family.ts'
import { refusalOf } from '../_outcome.ts'
import { Visitor } from '../_visitor.ts'
import { type AuthStack, joinBehindGateway } from './_auth.ts'
import { codeIn, type Member, mailsTo, newEmail, signIn, signInMember } from './_people.ts'

const test = anyTest.serial as TestFn<AuthStack>

test.before(async (t) => {
  t.context = await joinBehindGateway()
})
test.after.always((t) => t.context[Symbol.asyncDispose]?.())

function rows(s: AuthStack, collection: string) {
  return s.mongo.db().collection<{ _id: string; personId?: string; email?: string; hashes?: string[] }>(collection)
}

/** A member with this many passkeys. How one is made, passkeys.test.ts shows. */
async function memberWith(s: AuthStack, passkeys: number): Promise<Member & { personId: string; keys: string[] }> {
  const member = await signInMember(s)
  const { personId } = await s.as.site.resolveSession({ session: member.session })
  const keys = Array.from({ length: passkeys }, (_, index) => `pky_${index}_${personId}`)
  const key = { name: 'Phone', publicKey: 'cHVibGlj', counter: 0, transports: [], createdAt: new Date() }
  for (const _id of keys) await rows(s, 'passkeys').insertOne({ _id, personId, credentialId: _id, ...key } as never)
  return { ...member, personId, keys }
}

async function setOnly(s: AuthStack, { principal }: Member, passkeyOnly = true): Promise<void> {
  await s.as.site.setPasskeyOnly({ passkeyOnly }, { token: await principal() })
}

let networks = 0

function newNetwork(): string {
  networks += 1
  return `198.52.${networks >> 8}.${networks & 255}`
}

function recover(s: AuthStack, email: string, code: string, clientAddress = newNetwork()) {
  return s.as.site.finishRecoverySignIn({ email, code, clientAddress, userAgent: '' })
}

async function makeSheet(s: AuthStack, { principal }: Member): Promise<string[]> {
  return (await s.as.site.makeRecoverySheet({}, { token: await principal() })).codes
}

/** Subjects of the mail about the account so far. */
async function subjectsTo(s: AuthStack, email: string, count: number): Promise<string[]> {
  return (await mailsTo(s, email, count)).map(({ subject }) => subject)
}

test('I need two passkeys, or one and a recovery sheet, to refuse codes', async (t) => {
  const s = t.context
  const [none, one, two] = [await memberWith(s, 0), await memberWith(s, 1), await memberWith(s, 2)]
  for (const person of [none, one]) t.is((await refusalOf(setOnly(s, person)))?.status, 'FAILED_PRECONDITION')
  await makeSheet(s, one)
  await makeSheet(s, none)
  t.is((await refusalOf(setOnly(s, none)))?.status, 'FAILED_PRECONDITION')
  t.is(await refusalOf(setOnly(s, one)), undefined)
  t.is(await refusalOf(setOnly(s, two)), undefined)
  t.true((await subjectsTo(s, two.email, 2)).includes('Your account signs in with a passkey only'))
})

test('a reader of my mailbox gets the same pages, but no code, and no guess fits', async (t) => {
  const s = t.context
  const person = await memberWith(s, 2)
  await setOnly(s, person)
  const pages: string[] = []
  for (const email of [person.email, newEmail()]) {
    const visitor = new Visitor({ stack: s.stack } as unknown as Guest)
    const asked = await visitor.submit('/sign-in', { email, return_to: '/' })
    const shown = await visitor.get('/sign-in/code')
    const tried = await visitor.submit('/sign-in/code', { code: '0000 0000' })
    const seen = [asked, shown, tried].map(({ status, headers, text }) => [status, headers.location, text])
    pages.push(
      JSON.stringify(seen)
        .replaceAll(email, 'address')
        .replaceAll(/nonce[^ >]*/g, ''),
    )
  }
  t.is(pages[0], pages[1])
  const mail = (await mailsTo(s, person.email, 3)).at(-1)
  t.is(mail?.subject, 'Sign in with your passkey')
  t.is(codeIn(mail), '')
  t.regex(mail?.text ?? '', /signs in with a passkey only/)
})

test('a code mailed before I refused codes signs nobody in, and other devices are signed out', async (t) => {
  const s = t.context
  const person = await memberWith(s, 2)
  const { challenge } = await s.as.site.startSignIn({ email: person.email, clientAddress: newNetwork() })
  const code = codeIn((await mailsTo(s, person.email, 2)).at(-1))
  const earlier = await s.as.site.startSignIn({ email: person.email, clientAddress: newNetwork() })
  const earlierCode = codeIn((await mailsTo(s, person.email, 3)).at(-1))
  const { session } = await s.as.site.finishSignIn({ ...earlier, code: earlierCode, userAgent: '' })
  await setOnly(s, person)
  t.is((await refusalOf(s.as.site.resolveSession({ session })))?.status, 'UNAUTHENTICATED')
  t.truthy(await person.principal())
  const refused = await refusalOf(s.as.site.finishSignIn({ challenge, code, userAgent: '' }))
  t.is(refused?.status, 'FAILED_PRECONDITION')
  t.is(await rows(s, 'sessions').countDocuments({ personId: person.personId, revokedAt: null } as never), 1)
})

test('when I refuse codes on two devices at once, the faster one stays signed in', async (t) => {
  const s = t.context
  const person = await memberWith(s, 2)
  const devices = [person, await signIn(s, person.email)]
  const tokens = await Promise.all(devices.map(({ principal }) => principal()))
  const answers = await Promise.all(
    tokens.map((token) => refusalOf(s.as.site.setPasskeyOnly({ passkeyOnly: true }, { token }))),
  )
  const sessions = await Promise.all(devices.map(({ session }) => refusalOf(s.as.site.resolveSession({ session }))))
  for (const seen of [answers, sessions])
    t.deepEqual(seen.map((error) => error?.status).toSorted(), ['UNAUTHENTICATED', undefined])
  t.is(answers.indexOf(undefined), sessions.indexOf(undefined))
  t.deepEqual((await subjectsTo(s, person.email, 3)).slice(2), ['Your account signs in with a passkey only'])
})

test('a mailed code confirms nothing for an account that refuses codes', async (t) => {
  const s = t.context
  const person = await memberWith(s, 2)
  const { challenge } = await s.as.site.mailConfirmationCode({ session: person.session })
  const code = codeIn((await mailsTo(s, person.email, 2)).at(-1))
  await setOnly(s, person)
  const { session } = person
  const early = await refusalOf(s.as.site.confirmSession({ session, challenge, code, passkey: undefined }))
  t.is(early?.status, 'FAILED_PRECONDITION')
  t.is((await refusalOf(s.as.site.mailConfirmationCode({ session })))?.status, 'FAILED_PRECONDITION')
  const visitor = new Visitor({ stack: s.stack } as unknown as Guest)
  visitor.adopt('family_session', session)
  const page = (await visitor.get('/confirm')).text
  t.false(page.includes('Send code'))
  t.regex(page, /accepts passkeys only/)
})

test('each code of my sheet signs me in once, and a mail says how many are left', async (t) => {
  const s = t.context
  const person = await memberWith(s, 1)
  const [first = '', second = ''] = await makeSheet(s, person)
  await setOnly(s, person)
  const both = await Promise.all([
    refusalOf(recover(s, person.email, first)),
    refusalOf(recover(s, person.email, first)),
  ])
  t.is(both.filter((error) => error === undefined).length, 1)
  t.is((await refusalOf(recover(s, newEmail(), second)))?.message, both.find((error) => error)?.message)
  const { session } = await recover(s, person.email, second.toUpperCase().replaceAll('-', ' '))
  t.is((await s.as.site.resolveSession({ session })).personId, person.personId)
  const texts = (await mailsTo(s, person.email, 5)).map(({ text }) => text).join()
  t.regex(texts, /7 are left/)
  t.regex(texts, /6 are left/)
})

test('a new sheet ends the one before, and the database holds no code', async (t) => {
  const s = t.context
  const person = await memberWith(s, 1)
  const old = await makeSheet(s, person)
  const codes = await makeSheet(s, person)
  t.is((await refusalOf(recover(s, person.email, old[0] ?? '')))?.status, 'INVALID_ARGUMENT')
  t.is(await refusalOf(recover(s, person.email, codes[0] ?? '')), undefined)
  const stored = JSON.stringify(await rows(s, 'recovery_sheets').findOne({ _id: person.personId }))
  for (const code of codes) t.false(stored.includes(code) || stored.includes(code.replaceAll('-', '')))
})

test('after five wrong recovery codes I must wait', async (t) => {
  const s = t.context
  const person = await memberWith(s, 1)
  const [code = ''] = await makeSheet(s, person)
  for (let tries = 0; tries < 5; tries += 1)
    t.is((await refusalOf(recover(s, person.email, 'aaaa-bbbb-cccc-dddd')))?.status, 'INVALID_ARGUMENT')
  t.is((await refusalOf(recover(s, person.email, code)))?.status, 'RESOURCE_EXHAUSTED')
})

test('a passkey I need stays, even if I remove two at once', async (t) => {
  const s = t.context
  const person = await memberWith(s, 3)
  await setOnly(s, person)
  const token = await person.principal()
  const removed = await Promise.all(
    person.keys.map((passkeyId) => refusalOf(s.as.site.removePasskey({ passkeyId }, { token }))),
  )
  t.is(removed.filter((error) => error === undefined).length, 1)
  for (const error of removed) if (error) t.regex(error.message, /Add another passkey or make a recovery sheet first/)
  t.is(await rows(s, 'passkeys').countDocuments({ personId: person.personId }), 2)
  await makeSheet(s, person)
  const [left] = await rows(s, 'passkeys').find({ personId: person.personId }).toArray()
  t.is(await refusalOf(s.as.site.removePasskey({ passkeyId: left?._id ?? '' }, { token })), undefined)
})

test('an old sign-in can’t refuse codes, allow them again or make a sheet', async (t) => {
  const s = t.context
  const person = await memberWith(s, 2)
  await rows(s, 'sessions').updateMany({ email: person.email }, {
    $set: { createdAt: new Date(Date.now() - 11 * 60_000) },
  } as never)
  for (const work of [setOnly(s, person), setOnly(s, person, false), makeSheet(s, person)])
    t.is((await refusalOf(work))?.detail.field, 'verifiedAt')
})

test('codes work again after I allow them, and I get an email about it', async (t) => {
  const s = t.context
  const person = await memberWith(s, 2)
  await setOnly(s, person)
  await setOnly(s, person, false)
  const { challenge } = await s.as.site.startSignIn({ email: person.email, clientAddress: newNetwork() })
  const mails = await mailsTo(s, person.email, 4)
  t.true(mails.some(({ subject }) => subject === 'Sign-in codes work again'))
  const code = mails.map(codeIn).findLast((each) => each !== '') ?? ''
  t.is(await refusalOf(s.as.site.finishSignIn({ challenge, code, userAgent: '' })), undefined)
})

test('my recovery sheet goes with my account', async (t) => {
  const s = t.context
  const person = await memberWith(s, 1)
  await makeSheet(s, person)
  await s.careCircle.deleteWorkspace({}, { token: await person.principal() })
  await s.as.site.deleteAccount({}, { token: await person.principal() })
  t.is(await rows(s, 'recovery_sheets').countDocuments({ _id: person.personId }), 0)
})
